import Foundation
import OfferTestSupport

/// What a script for `offerctl` says beside the rest: how the server answers, and what it must be asked.
///
///     --- reply GET /v1/catalog 200 application/yaml ETag="3"
///     …
///     --- asked
///     PUT /v1/catalog?dryRun=true If-Match="3"
extension TerminalScript {
    static let folder = Bundle.module.bundleURL.appending(path: "Fixtures/scripts")
    static let all = all(in: folder)

    /// The server's answers by `METHOD /path`, each list in order.
    var replies: [String: [ScriptedServer.Reply]] {
        sections("reply").reduce(into: [:]) { replies, section in
            replies[section.words[1...2].joined(separator: " "), default: []].append(Self.reply(section))
        }
    }

    /// The requests, a line each.
    var asked: String { sections("asked").map(\.body).joined() }

    /// Whether its server says the app and environment of the key.
    var saysScope: Bool { sections("reply").contains { $0.words.contains { $0.hasPrefix("Offerd-Scope=") } } }

    private static func reply(_ section: Section) -> ScriptedServer.Reply {
        let status = Int(section.words[3]) ?? 0
        var headers: [(String, String)] = []
        var mediaType = status < 400 ? "application/json" : "application/problem+json"
        for word in section.words.dropFirst(4) {
            if let equals = word.firstIndex(of: "=") {
                headers.append((String(word[..<equals]), String(word[word.index(after: equals)...])))
            } else {
                mediaType = word
            }
        }
        return ScriptedServer.Reply(
            status: status, headers: [("Content-Type", mediaType)] + headers, body: section.body)
    }
}

extension ScriptedServer.Request {
    /// The request as scripts write it: a condition, and a body if it is JSON.
    var line: String {
        let condition = headers["if-match"].map { " If-Match=\($0)" } ?? ""
        let content = headers["content-type"] == "application/json" && !body.isEmpty ? " " + body : ""
        return "\(method) \(uri)\(condition)\(content)"
    }
}
