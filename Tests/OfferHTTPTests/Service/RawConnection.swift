import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A connection that sends and reads when it is told to, as slow and careful clients do. It blocks its thread.
final class RawConnection {
    private let descriptor: Int32

    /// Lets a body use a connection on a thread of its own: blocked threads of the shared pool could keep the server
    /// waiting.
    static func use<T: Sendable>(
        port: Int, _ body: @escaping @Sendable (RawConnection) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try body(try RawConnection(port: port)) })
            }
        }
    }

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw RawHTTP.Broken(reason: "no socket") }
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] { wait(option, milliseconds: 60_000) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw RawHTTP.Broken(reason: "cannot connect: \(errno)") }
    }

    deinit { close() }

    private var isOpen = true

    func close() {
        if isOpen { Glibc.close(descriptor) }
        isOpen = false
    }

    /// Sends all of a text.
    ///
    /// - Returns: 0, or the system's error number.
    @discardableResult
    func send(_ text: String) -> Int32 {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return errno }
            rest = rest.dropFirst(count)
        }
        return 0
    }

    /// Reads until the server closes.
    func readToEnd() throws -> [UInt8] {
        var bytes = [UInt8]()
        while let more = try read() { bytes += more }
        return bytes
    }

    /// Reads until a text has come.
    func read(until mark: String) throws -> String {
        var text = ""
        while !text.contains(mark) {
            guard let more = try read() else { throw RawHTTP.Broken(reason: "closed after: \(text)") }
            text += String(decoding: more, as: UTF8.self)
        }
        return text
    }

    /// Reads what there is within so many milliseconds: nothing yet is empty, `nil` is the end.
    func read(withinMilliseconds patience: Int) throws -> [UInt8]? {
        wait(SO_RCVTIMEO, milliseconds: patience)
        defer { wait(SO_RCVTIMEO, milliseconds: 60_000) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == EAGAIN { return [] }
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    private func read() throws -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else {
            if errno == ECONNRESET { return nil }
            throw RawHTTP.Broken(reason: "nothing came: \(errno)")
        }
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    private func wait(_ option: Int32, milliseconds: Int) {
        var patience = timeval(tv_sec: milliseconds / 1_000, tv_usec: milliseconds % 1_000 * 1_000)
        setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
    }
}
