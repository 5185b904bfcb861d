import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OfferTestSupport
import Synchronization

/// `offerd serve` in a process of its own.
final class RunningServer: Sendable {
    struct Answer: Sendable {
        var status: Int
        /// By lower-case name; of a repeated header the last.
        var headers: [String: String]
        var body: [UInt8]

        var json: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:]
        }
    }

    let url: String
    /// Where it serves its metrics, if it does.
    let metricsURL: String?
    /// The lines it had printed by then.
    let printed: [String]
    private let process: Mutex<Process>
    /// Keeps the folder, and the database in it, for as long as the server is used.
    private let directory: TemporaryDirectory

    var processIdentifier: Int32 { process.withLock { $0.processIdentifier } }

    /// Starts a server and waits for the line that says where it listens.
    ///
    /// - Parameter launcher: a program with its arguments that starts the server, such as `strace`.
    static func start(
        _ installation: Installation, arguments: [String] = [], under launcher: [String] = []
    ) async throws -> RunningServer {
        let text = try String(contentsOfFile: installation.directory.path("offerd.yaml"), encoding: .utf8)
        let command = launcher + [Installation.offerd.path, "serve", "--config", "offerd.yaml"] + arguments
        return try await start(command, in: installation.directory, lines: text.contains("\nmetrics:") ? 2 : 1)
    }

    /// Starts any command that serves.
    ///
    /// - Parameter lines: how many it prints once it does.
    static func start(_ command: [String], in directory: TemporaryDirectory, lines: Int) async throws -> RunningServer {
        try requireNoCallsToApple(directory)
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try RunningServer(command, in: directory, lines: lines) })
            }
        }
    }

    private init(_ command: [String], in directory: TemporaryDirectory, lines awaited: Int) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.environment = BuiltProgram.base
        process.currentDirectoryURL = directory.url
        let output = Pipe()
        let log = try directory.write("", to: "serve-\(UUID().uuidString).log")
        process.standardOutput = output
        process.standardError = FileHandle(forWritingAtPath: log)
        try process.run()
        var bytes = Data()
        while bytes.count(where: { $0 == UInt8(ascii: "\n") }) < awaited {
            let chunk = output.fileHandleForReading.availableData
            guard !chunk.isEmpty else { break }
            bytes += chunk
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        printed = lines
        func address(after prefix: String) -> String? {
            lines.first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        }
        guard let url = address(after: "listening on "), lines.count == awaited else {
            process.terminate()
            throw Installation.Failed(
                what: "no server: \(lines) \((try? String(contentsOfFile: log, encoding: .utf8)) ?? "")")
        }
        self.url = url
        metricsURL = address(after: "metrics on ")
        self.process = Mutex(process)
        self.directory = directory
    }

    /// Refuses a configuration whose server would ask Apple by itself: for missing notifications, a minute after its start.
    static func requireNoCallsToApple(_ directory: TemporaryDirectory) throws {
        func text(_ name: String) -> String {
            (try? String(contentsOfFile: directory.path(name), encoding: .utf8)) ?? ""
        }
        let (keys, configuration) = (text("keys.yaml"), text("offerd.yaml"))
        guard !configuration.contains(#/recheck: *off/#) else { return }
        let served = ["Production", "Sandbox"].filter { environment in
            keys.split(separator: "\n").contains { $0.contains("environments:") && $0.contains(environment) }
        }
        let asking = served.filter { !configuration.contains("appStoreServer:") || $0 == "Production" }
        guard asking.isEmpty else {
            throw Installation.Failed(
                what: "a server of \(asking) would ask Apple: write `notifications: { recheck: off }` in offerd.yaml")
        }
    }

    /// Sends a request; throws if the server goes away before its answer is whole.
    func ask(
        _ method: String, _ path: String, token: String, body: String? = nil, headers: [String: String] = [:],
        client: HTTPClient, timeout: TimeAmount = .seconds(60)
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: url + path)
        request.method = .init(rawValue: method)
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        if let body {
            request.headers.add(name: "Content-Type", value: headers["Content-Type"] ?? "application/json")
            request.body = .bytes(ByteBuffer(string: body))
        }
        for (name, value) in headers where name != "Content-Type" { request.headers.add(name: name, value: value) }
        let response = try await client.execute(request, timeout: timeout)
        let bytes = try await response.body.collect(upTo: 8 * 1_024 * 1_024)
        let headers = response.headers.map { ($0.name.lowercased(), $0.value) }
        return Answer(
            status: Int(response.status.code), headers: Dictionary(headers) { $1 },
            body: Array(bytes.readableBytesView))
    }

    /// Sends SIGTERM and gives the exit status.
    func stop() async -> Int32 {
        signal(SIGTERM)
        return await end()
    }

    /// Ends the process as a power cut would end it.
    func kill() async {
        signal(SIGKILL)
        _ = await end()
    }

    func signal(_ number: Int32) {
        process.withLock { process in
            // The number of a process that has ended may be another's by now.
            if process.isRunning { _ = Foundation.kill(process.processIdentifier, number) }
        }
    }

    private func end() async -> Int32 {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                let status = process.withLock { process in
                    process.waitUntilExit()
                    return process.terminationStatus
                }
                continuation.resume(returning: status)
            }
        }
    }
}
