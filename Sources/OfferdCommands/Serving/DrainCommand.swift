import ArgumentParser
import CommandLineSupport
import Foundation
import OfferModel
import SQLiteStore

struct DrainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain",
        abstract: "Have a running server get no new traffic for a while, then stop it.",
        discussion: """
            From then on `/readyz` of the server fails, so that a balancer that asks it sends new requests elsewhere. \
            The server still answers every request. After --for it gets SIGTERM, finishes the requests in progress and \
            exits 0; this command returns once the process has ended.

            The server is the process of this machine that serves with this configuration file. Run the command as the \
            server's user or as root, or give --pid.

            SIGTERM ends a drain at once; of two drains the one that ends first counts. If this command is interrupted, \
            the server goes on draining until either.

            Example:
              offerd drain --config offerd.yaml --for 30s
            """)

    @Option(
        help: "The configuration file of the server. (default: as for `serve`)",
        completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long the server still answers, such as 30s or 2m; at most an hour.", valueName: "time"),
        transform: Self.seconds)
    var length: Int64

    @Option(help: "The server's process id, where several serve with the configuration.")
    var pid: Int32?

    /// How long requests in progress, the last commits and their flush may take.
    private static let patience = Shutdown.patience + .seconds(40)

    private static func seconds(_ text: String) throws -> Int64 {
        let parts = text.wholeMatch(of: #/([0-9]+)([smh])/#)
        let iso = parts.map { "PT\($0.output.1)\($0.output.2.uppercased())" } ?? text
        guard let length = Period(iso)?.fixedMilliseconds else {
            throw ValidationError("write seconds or minutes, such as `30s` or `2m`")
        }
        guard (Instant.Duration.second...Instant.Duration.hour).contains(length) else {
            throw ValidationError("a drain lasts between a second and an hour")
        }
        return length / Instant.Duration.second
    }

    func run() async throws {
        let config = try ConfigurationFile.path(config)
        _ = try InputFile.bytes(config, "configuration")
        let server = try server(config)
        guard server.takes(SIGUSR1) else {
            throw CommandFailure(
                .failed, "process \(server.identifier) cannot be drained: it is still starting, or an older version",
                hints: ["`kill -TERM \(server.identifier)` stops it"])
        }
        try server.send(SIGUSR1)
        try Console.output(
            "draining process \(server.identifier), which gets SIGTERM in \(length) s")
        if await !server.ends(within: .seconds(length)) {
            try server.send(SIGTERM)
            guard await server.ends(within: Self.patience) else {
                throw CommandFailure(
                    .failed, "process \(server.identifier) has not ended since SIGTERM",
                    hints: ["its log says what it waits for"])
            }
        }
        try Console.output("process \(server.identifier) has ended")
    }

    private func server(_ config: String) throws -> ServingProcess {
        guard ServingProcess.canBeFound else {
            throw CommandFailure(
                .failed, "this system has no `/proc`, where servers are looked up",
                hints: ["`kill -USR1 PID` begins a drain, and `kill -TERM PID` stops the server"])
        }
        let servers = ServingProcess.all(with: config)
        if let pid {
            guard let server = servers.first(where: { $0.identifier == pid }) else {
                throw CommandFailure(
                    .failed, "process \(pid) does not serve with `\(config)`, or is another user's",
                    hints: servers.isEmpty ? [] : ["these do: \(Self.list(servers))"])
            }
            return server
        }
        guard let server = servers.first else {
            throw CommandFailure(
                .failed, "no process of this machine serves with `\(config)`",
                hints: ["run this as the server's user or as root; `--config` is the file that `serve` was given"])
        }
        guard servers.count == 1 else {
            throw CommandFailure(
                .failed, "several processes serve with `\(config)`: \(Self.list(servers))",
                hints: ["name one of them with `--pid`"])
        }
        return server
    }

    private static func list(_ servers: [ServingProcess]) -> String {
        servers.map { String($0.identifier) }.joined(separator: ", ")
    }
}

/// A process that runs `offerd serve`, as Linux shows it in `/proc`.
struct ServingProcess {
    let identifier: Int32
    /// When it started: another process that gets the same number has another start.
    private let start: String

    static var canBeFound: Bool { start(of: getpid()) != nil }

    /// Those that serve with a configuration file, as far as this user may look at them.
    static func all(with config: String) -> [ServingProcess] {
        guard let file = FileIdentity(path: config) else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap(Int32.init).sorted().compactMap { identifier in
            guard let used = configuration(of: identifier), FileIdentity(path: used) == file else { return nil }
            return ServingProcess(identifier)
        }
    }

    private init?(_ identifier: Int32) {
        guard let start = Self.start(of: identifier) else { return nil }
        self.identifier = identifier
        self.start = start
    }

    /// The path that leads this process to the configuration of another one, in whose folder and root it was named.
    private static func configuration(of identifier: Int32) -> String? {
        let words = text(identifier, "cmdline").split(separator: "\0", omittingEmptySubsequences: false)
        guard words.count > 1, words[1] == "serve", text(identifier, "comm").hasPrefix("offerd") else { return nil }
        let values = words.indices.compactMap { place in
            let name = "--config"
            if words[place].hasPrefix(name + "=") { return words[place].dropFirst(name.count + 1) }
            return words[place] == name && place + 1 < words.count ? words[place + 1] : nil
        }
        // Without the option the server has looked where it is usual.
        let paths = (values.last.map { [String($0)] } ?? ConfigurationFile.places).map { path in
            "/proc/\(identifier)/" + (path.hasPrefix("/") ? "root\(path)" : "cwd/\(path)")
        }
        return paths.first(where: FileManager.default.fileExists)
    }

    /// `nil` once the process has ended, whether or not its parent has noticed.
    private static func start(of identifier: Int32) -> String? {
        let status = text(identifier, "stat")
        // The name of the program is in parentheses and may have spaces; the numbers that follow are counted from 3.
        let fields = status[(status.lastIndex(of: ")") ?? status.startIndex)...].split(separator: " ").dropFirst()
        guard let state = fields.first, !["Z", "X"].contains(state), fields.count > 19 else { return nil }
        return String(fields[fields.startIndex + 19])
    }

    private static func text(_ identifier: Int32, _ name: String) -> String {
        let bytes = try? InputFile.bytes("/proc/\(identifier)/\(name)")
        return String(decoding: bytes ?? [], as: UTF8.self)
    }

    /// Whether a signal would not just end it.
    func takes(_ signal: Int32) -> Bool {
        let lines = Self.text(identifier, "status").split(separator: "\n")
        // In hexadecimal, the signals from 32 down to 1 last.
        let mask = lines.first { $0.hasPrefix("SigCgt:") }?.suffix(8) ?? ""
        return Int(mask, radix: 16).map { $0 >> (signal - 1) & 1 == 1 } ?? false
    }

    /// Sends a signal, unless the process has ended.
    func send(_ signal: Int32) throws {
        guard isRunning, kill(identifier, signal) != 0, errno != ESRCH else { return }
        throw CommandFailure(
            .failed, "process \(identifier) takes no signal of this user: \(String(cString: strerror(errno)))",
            hints: ["run this as the server's user or as root"])
    }

    func ends(within patience: Duration) async -> Bool {
        let deadline = ContinuousClock.now + patience
        while isRunning {
            guard ContinuousClock.now < deadline else { return false }
            try? await Task.sleep(for: .milliseconds(50))
        }
        return true
    }

    private var isRunning: Bool { Self.start(of: identifier) == start }
}
