import Foundation
import OfferTestSupport
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Passes on what clients and a server of PostgreSQL send each other through a socket of its own, and cuts a connection at
/// a commit.
final class CuttingProxy: Sendable {
    enum Cut: Sendable {
        /// The server gets the commit and answers; the client gets nothing.
        case answer
        /// The server does not get the commit.
        case commit
    }

    private let directory: TemporaryDirectory
    private let server: String
    private let listener: Int32
    private let next = Mutex<Cut?>(nil)
    private let cuts = Mutex(0)

    /// - Parameter server: the folder of the server's socket.
    init(before server: String) throws {
        self.server = server
        directory = try TemporaryDirectory()
        listener = try Self.socket(at: directory.path(Self.name)) { bind($0, $1, $2) }
        listen(listener, 64)
        Thread.detachNewThread { self.accept() }
    }

    deinit { close(listener) }

    private static let name = ".s.PGSQL.5432"

    /// The folder that a URL names instead of the server's.
    var folder: String { directory.url.path }

    /// How many connections were cut.
    var cutConnections: Int { cuts.withLock { $0 } }

    func cutNext(_ cut: Cut) { next.withLock { $0 = cut } }

    private static func socket(
        at path: String, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws -> Int32 {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                use(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw CocoaError(.fileReadUnknown) }
        return descriptor
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else { return }
            guard let server = try? Self.socket(at: "\(server)/\(Self.name)", { connect($0, $1, $2) }) else {
                close(client)
                continue
            }
            let pair = Pair(client: client, server: server)
            Thread.detachNewThread { self.passOn(pair) }
            Thread.detachNewThread { pair.answer() }
        }
    }

    /// Passes on what the client sends.
    private func passOn(_ pair: Pair) {
        defer { pair.end() }
        while let bytes = Pair.read(pair.client) {
            guard bytes.firstRange(of: Array("COMMIT\0".utf8)) != nil, let cut = next.withLock({ $0.take() }) else {
                guard Pair.write(bytes, to: pair.server) else { return }
                continue
            }
            cuts.withLock { $0 += 1 }
            guard cut == .answer else { return }
            pair.isMute.withLock { $0 = true }
            _ = Pair.write(bytes, to: pair.server)
            pair.waitForAnswer()
            return
        }
    }
}

/// The two ends of a connection.
private final class Pair: Sendable {
    let client: Int32
    let server: Int32
    /// Whether answers go nowhere.
    let isMute = Mutex(false)
    private let answered = DispatchSemaphore(value: 0)
    private let open = Mutex(2)

    init(client: Int32, server: Int32) {
        self.client = client
        self.server = server
    }

    static func read(_ descriptor: Int32) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
            count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
        }
        return bytes.isEmpty ? nil : bytes
    }

    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Passes on what the server answers.
    func answer() {
        defer { end() }
        while let bytes = Self.read(server) {
            if isMute.withLock({ $0 }) {
                answered.signal()
            } else if !Self.write(bytes, to: client) {
                return
            }
        }
        answered.signal()
    }

    func waitForAnswer() { answered.wait() }

    /// Ends both directions; the second of the two closes.
    func end() {
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(server, Int32(SHUT_RDWR))
        let isLast = open.withLock { open in
            open -= 1
            return open == 0
        }
        guard isLast else { return }
        close(client)
        close(server)
    }
}
