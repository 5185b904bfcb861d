import OfferAPI

/// The body of a dry-run, put together from what the command line and its files say.
///
/// A history goes to the server byte for byte as its file has it: numbers stay as they were written, and the server's
/// errors point into it.
struct DryRunRequest: Sendable {
    private var members: [(name: String, json: [UInt8])] = []

    /// Adds a member, unless there is no value.
    mutating func add(_ name: String, _ value: (some Encodable)?) throws {
        if let value { members.append((name, try WireJSON.encode(value))) }
    }

    /// Adds a history, unless there is none.
    mutating func add(_ name: String, _ history: HistoryFile?) {
        if let history { members.append((name, history.bytes)) }
    }

    /// The JSON text.
    var body: [UInt8] {
        let texts = members.map { Array("\"\($0.name)\":".utf8) + $0.json }
        return Array("{".utf8) + Array(texts.joined(separator: ",".utf8)) + Array("}".utf8)
    }
}
