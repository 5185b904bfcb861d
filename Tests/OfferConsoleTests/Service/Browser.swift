import Foundation

@testable import OfferConsole

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An answer as a browser gets it.
struct Page: Sendable {
    var status: Int
    /// By lower-case names, in their order.
    var headers: [(name: String, value: String)]
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    subscript(header: String) -> String? { headers.last { $0.name == header }?.value }

    /// The part of `Set-Cookie` before the first `;`, and the rest.
    var cookie: (pair: String, attributes: [String])? {
        guard let parts = self["set-cookie"]?.components(separatedBy: "; "), let pair = parts.first else { return nil }
        return (pair, Array(parts.dropFirst()))
    }

    /// The token of the page's first form.
    var formToken: String? {
        text.firstMatch(of: /name="formToken" value="([0-9a-f]+)"/).map { String($0.output.1) }
    }

    /// The page with what it shows of an answer of the API as the answer has it: quoted parts in backticks, instants as
    /// they are.
    var words: String {
        text.replacing("<code>", with: "`").replacing("</code>", with: "`")
            .replacing(/<time datetime="([^"]*)">[^<]*<\/time>/) { $0.output.1 }
    }

    /// Whether the page shows a text of an answer.
    func says(_ text: String) -> Bool {
        Data(words.utf8).range(of: Data(PageText().escapeText(text).utf8)) != nil
    }

    /// Whether the bytes are there: Swift compares texts by characters, which a browser does not.
    func hasBytes(_ part: String) -> Bool { Data(body).range(of: Data(part.utf8)) != nil }
}

/// Asks over a socket, with the headers it is given and no others.
enum Browser {
    struct Broken: Error {
        var reason: String
    }

    static func send(
        port: Int, _ method: String, _ target: String, _ headers: [(String, String)] = [], body: String? = nil
    ) async throws -> Page {
        try await send(port: port, method, target, headers, bytes: body.map { Array($0.utf8) })
    }

    static func send(
        port: Int, _ method: String, _ target: String, _ headers: [(String, String)] = [], bytes body: [UInt8]?
    ) async throws -> Page {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if let body { text += "Content-Length: \(body.count)\r\n" }
        let bytes = Array("\(text)\r\n".utf8) + (body ?? [])
        return try await withCheckedThrowingContinuation { continuation in
            // A thread of its own: blocked threads of the shared pool could keep the server's database waiting.
            Thread.detachNewThread {
                continuation.resume(with: Result { try parse(try exchange(port: port, bytes)) })
            }
        }
    }

    private static func parse(_ bytes: [UInt8]) throws -> Page {
        guard let end = Data(bytes).range(of: Data("\r\n\r\n".utf8)) else { throw Broken(reason: "no answer") }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        guard let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw Broken(reason: lines[0])
        }
        let headers = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            return (line[..<colon].lowercased(), value)
        }
        return Page(status: status, headers: headers, body: Array(bytes[end.upperBound...]))
    }

    private static func exchange(port: Int, _ bytes: [UInt8]) throws -> [UInt8] {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Broken(reason: "no socket") }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Broken(reason: "cannot connect: \(errno)") }
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { break }
            sent += count
        }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            answer += buffer[..<count]
        }
        return answer
    }
}
