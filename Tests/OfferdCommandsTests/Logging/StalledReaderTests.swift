import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OfferTestSupport
import Synchronization
import Testing

@Suite("A server whose log is not read")
struct StalledReaderTests {
    /// A named pipe in an installation's directory that this process keeps open.
    private final class NamedPipe: Sendable {
        static let name = "stalled"
        private let descriptor: Int32

        init(_ directory: TemporaryDirectory, _ flags: Int32 = O_RDWR) throws {
            try #require(mkfifo(directory.path(Self.name), 0o600) == 0)
            descriptor = open(directory.path(Self.name), flags | O_NONBLOCK | O_CLOEXEC)
            try #require(descriptor >= 0)
        }

        deinit { close(descriptor) }

        func fill() {
            let bytes = [UInt8](repeating: 0x2E, count: 4_096)
            while write(descriptor, bytes, bytes.count) > 0 {}
        }

        /// Lets it have no reader any more.
        func leave() {
            let nowhere = open("/dev/null", O_RDONLY | O_CLOEXEC)
            dup2(nowhere, descriptor)
            close(nowhere)
        }
    }

    /// Starts a program with the named pipe as its standard error, or as both outputs.
    private func launcher(both: Bool = false) -> [String] {
        ["sh", "-c", "exec \"$@\" \(both ? ">" : "2>")\(NamedPipe.name) \(both ? "2>&1" : "")", "sh"]
    }

    private func installation() async throws -> Installation {
        let installation = try await Installation()
        let text = try String(contentsOfFile: installation.directory.path("offerd.yaml"), encoding: .utf8)
        try installation.directory.write(text + "metrics: 127.0.0.1:0\nlog: json\n", to: "offerd.yaml")
        return installation
    }

    private func dropped(_ server: RunningServer, _ client: HTTPClient) async throws -> Double {
        let url = try #require(server.metricsURL)
        let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(60))
        let scrape = Scrape(String(buffer: try await response.body.collect(upTo: 1_024 * 1_024)))
        return try #require(scrape["offerd_log_lines_dropped_total"])
    }

    /// Sends requests, each of which adds a line of some 400 bytes to the log.
    private func send(_ count: Int, to server: RunningServer, _ client: HTTPClient) async throws {
        let headers = ["traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<(count / 8) {
                        let answer = try await server.ask(
                            "GET", "/healthz", token: "", headers: headers, client: client, timeout: .seconds(20))
                        #expect(answer.status == 200)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Runs a body with a client, which is shut down whatever happens.
    private func withClient(_ body: (HTTPClient) async throws -> Void) async throws {
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        do {
            try await body(client)
        } catch {
            try? await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    @Test("answers every request, counts the lines that it drops, and ends on SIGTERM")
    func stalled() async throws {
        let installation = try await installation()
        let pipe = try NamedPipe(installation.directory)
        let server = try await RunningServer.start(installation, under: launcher())
        try await withClient { client in
            try await send(6_000, to: server, client)
            #expect(try await dropped(server, client) > 0)
        }
        #expect(await server.stop() == 0)
        withExtendedLifetime(pipe) {}
    }

    @Test("answers every request where the reader is gone, counts the lines, and ends on SIGTERM")
    func gone() async throws {
        let installation = try await installation()
        let pipe = try NamedPipe(installation.directory, O_RDONLY)
        let server = try await RunningServer.start(installation, under: launcher())
        pipe.leave()
        try await withClient { client in
            try await send(80, to: server, client)
            // The last lines of the start may be among them.
            try await until("all lines are counted") { (80...84).contains(try await dropped(server, client)) }
        }
        #expect(await server.stop() == 0)
    }

    @Test("starts where both outputs are one pipe that is full already, answers, and ends on SIGTERM")
    func full() async throws {
        let installation = try await installation()
        let pipe = try NamedPipe(installation.directory)
        pipe.fill()
        let port = try Self.freePort()
        let server = try StartedProcess(
            launcher(both: true)
                + [Installation.offerd.path, "serve", "--config", "offerd.yaml", "--listen", "127.0.0.1:\(port)"],
            directory: installation.directory.url)
        try await withClient { client in
            try await until("it answers") {
                let request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/readyz")
                return (try? await client.execute(request, timeout: .seconds(20)))?.status == .ok
            }
        }
        server.terminate()
        try await until("it has ended") { server.status != nil }
        #expect(server.status == 0)
    }

    @Test("a start that fails ends with its status though its message is not read")
    func failing() async throws {
        let installation = try await installation()
        let pipe = try NamedPipe(installation.directory)
        pipe.fill()
        // No host has this address.
        let server = try StartedProcess(
            launcher() + [Installation.offerd.path, "serve", "--config", "offerd.yaml", "--listen", "192.0.2.1:1"],
            directory: installation.directory.url)
        try await until("it has ended") { server.status != nil }
        #expect(server.status == 1)
    }

    /// A program whose output this process does not read; killed where it does not end by itself.
    private final class StartedProcess: Sendable {
        private let process: Mutex<Process>

        init(_ command: [String], directory: URL) throws {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = command
            process.environment = BuiltProgram.base
            process.currentDirectoryURL = directory
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            self.process = Mutex(process)
        }

        deinit {
            process.withLock { if $0.isRunning { kill($0.processIdentifier, SIGKILL) } }
        }

        /// `nil` while it runs.
        var status: Int32? { process.withLock { $0.isRunning ? nil : $0.terminationStatus } }

        func terminate() { process.withLock { $0.terminate() } }
    }

    /// One that nothing listened on a moment ago.
    private static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        try #require(isBound)
        return UInt16(bigEndian: address.sin_port)
    }
}
