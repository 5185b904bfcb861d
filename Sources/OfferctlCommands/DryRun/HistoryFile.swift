import OfferAPI

/// A history to suppose, as its file has it.
struct HistoryFile: Sendable {
    /// The JSON object, without a byte order mark.
    let bytes: [UInt8]

    /// Reads a file and checks that it holds a history, before anything is sent.
    ///
    /// - Throws: `CommandFailure` with status 2 that says why it cannot be used.
    init(reading path: String) throws(CommandFailure) {
        let content = try FileDocument.read(path)
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        bytes = content.starts(with: mark) ? Array(content.dropFirst(mark.count)) : content
        do {
            try WireJSON.checkDocument(bytes)
        } catch {
            throw CommandFailure(.usage, messages: error.errors.map { Self.syntax($0, path) } + [Self.form])
        }
        do {
            _ = try WireJSON.decodeRequest(HistoryBody.self, from: bytes)
        } catch {
            let hints = error.errors.contains { $0.hint != nil } ? [] : [Self.form]
            throw CommandFailure(.usage, messages: error.errors.flatMap { Self.content($0, path) } + hints)
        }
    }

    private static let form =
        "hint: a history is `{\"transactions\": […], \"renewalInfos\": […], \"complete\": true}`, Apple's payloads decoded"

    private static func syntax(_ error: ProblemErrorBody, _ path: String) -> String {
        let place = error.line.map { " (\(path):\($0))" } ?? " (\(path))"
        return "error: not JSON, \(error.detail)\(place)"
    }

    private static func content(_ error: ProblemErrorBody, _ path: String) -> [String] {
        let place = TypedWords.place(pointer: "/history" + (error.pointer ?? ""), SentFiles(history: path))
        return ["error: " + error.detail + place] + (error.hint.map { ["hint: " + $0] } ?? [])
    }
}
