import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An answer as it came over the socket.
struct RawAnswer: Sendable {
    var status: Int
    /// By lower-case name; of a repeated header the last.
    var headers: [String: String]
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
    /// The body as JSON; empty if it is none.
    var json: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:]
    }
    var code: String? { json["code"] as? String }
    var errors: [[String: Any]] { json["errors"] as? [[String: Any]] ?? [] }
}

/// A client that sends exactly the bytes it is given, right or wrong, and reads what comes back.
enum RawHTTP {
    struct Broken: Error {
        var reason: String
    }

    /// Sends bytes and reads until the server closes. Writing and reading follow each other, as in simple clients.
    static func exchange(port: Int, _ bytes: [UInt8]) async throws -> [UInt8] {
        try await withCheckedThrowingContinuation { continuation in
            // A thread of its own: blocked threads of the shared pool could keep the server's database waiting.
            Thread.detachNewThread {
                continuation.resume(with: Result { try blockingExchange(port: port, bytes) })
            }
        }
    }

    /// Sends one request with `Connection: close` and takes the answer apart.
    static func send(
        port: Int, _ method: String, _ target: String, headers: [(String, String)] = [], body: [UInt8]? = nil
    ) async throws -> RawAnswer {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        return try parse(try await exchange(port: port, Array((head + "\r\n").utf8) + (body ?? [])))
    }

    /// Takes an answer apart; a chunked body is not expected.
    static func parse(_ bytes: [UInt8]) throws -> RawAnswer {
        let separator = Array("\r\n\r\n".utf8)
        guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: separator) }) else {
            throw Broken(reason: "no answer, only \(bytes.count) bytes")
        }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, let status = Int(words[1]) else { throw Broken(reason: "no status line") }
        var headers = [String: String]()
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { throw Broken(reason: "no header: \(line)") }
            headers[line[..<colon].lowercased()] =
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        return RawAnswer(status: status, headers: headers, body: Array(bytes[(end + separator.count)...]))
    }

    private static func blockingExchange(port: Int, _ bytes: [UInt8]) throws -> [UInt8] {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Broken(reason: "no socket") }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
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
            // The server may answer and close before it has read all.
            guard count > 0 else { break }
            sent += count
        }
        var answer = [UInt8]()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            answer += buffer[..<count]
        }
        return answer
    }
}
