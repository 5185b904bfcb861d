import CommandLineSupport
import Foundation
import NIOCore
import NIOPosix
import OfferDocuments
import OfferTestSupport
import Testing

@testable import OfferdCommands

/// What Packaging/offerd.service says about starting the server again.
private struct ServiceUnit {
    private let lines: [Substring]

    init() throws {
        let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let unit = root.appending(path: "Packaging/offerd.service")
        lines = try String(contentsOf: unit, encoding: .utf8).split(separator: "\n")
    }

    func values(_ setting: String) -> [String] {
        lines.filter { $0.hasPrefix("\(setting)=") }.flatMap { $0.dropFirst(setting.count + 1).split(separator: " ") }
            .map(String.init)
    }

    /// Whether systemd starts it again after it has ended by itself.
    func restarts(after status: Int32) -> Bool {
        status != 0 && !values("RestartPreventExitStatus").contains("\(status)")
    }
}

/// Something that keeps `serve` from starting.
struct StartFault: Sendable, CustomTestStringConvertible {
    var name: String
    /// Shell commands that make it of a sound installation.
    var made = ""
    var arguments: [String] = []
    /// What the first line of the message begins with, after `error: `.
    var words: String
    var testDescription: String { name }

    /// Python that changes the database with `c`.
    fileprivate static func edit(_ code: String) -> String {
        "python3 - <<'END'\nimport sqlite3\nc = sqlite3.connect('offers.sqlite')\n\(code)\nc.commit()\nEND"
    }

    private static let damage = """
        c.execute("PRAGMA journal_mode = DELETE")
        page = c.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'migration'").fetchone()[0]
        size = c.execute("PRAGMA page_size").fetchone()[0]
        c.close()
        with open("offers.sqlite", "r+b") as file:
            file.seek((page - 1) * size)
            file.write(b"\\xff" * size)
        c = sqlite3.connect(":memory:")
        """

    static let permanent = [
        StartFault(
            name: "no configuration", made: "rm offerd.yaml", words: "configuration `offerd.yaml` "),
        StartFault(
            name: "an unknown setting", made: "echo 'listn: x' >>offerd.yaml", words: "unknown key `listn`"),
        StartFault(name: "no keys file", made: "rm keys.yaml", words: "keys file `DIR/keys.yaml` "),
        StartFault(name: "no key", made: "rm signing.p8", words: "key file `DIR/signing.p8` "),
        StartFault(
            name: "an open key", made: "chmod 644 signing.p8", words: "key file `DIR/signing.p8` has mode `0644`"),
        StartFault(
            name: "no certificate", made: "echo 'tls: { certificate: a.pem, key: a.key }' >>offerd.yaml",
            words: "the certificate `DIR/a.pem` does not exist"),
        StartFault(
            name: "no address", arguments: ["--listen", "127.0.0.1"],
            words: "`127.0.0.1` is not an address to listen on"),
        StartFault(
            name: "no database", made: "rm offers.sqlite*", words: "there is no database at `DIR/offers.sqlite`"),
        StartFault(
            name: "an older schema",
            made: edit("c.execute('DELETE FROM migration WHERE name = (SELECT max(name) FROM migration)')"),
            words: "the database at `DIR/offers.sqlite` is not migrated to this version"),
        StartFault(
            name: "a newer schema", made: edit("c.execute(\"INSERT INTO migration VALUES ('9999-of-the-future')\")"),
            words: "the database at `DIR/offers.sqlite` was migrated by a newer version"),
        StartFault(name: "a damaged page", made: edit(damage), words: "the database file is damaged: "),
        StartFault(
            name: "half a file",
            made: edit("c.execute('PRAGMA journal_mode = DELETE')") + "\ntruncate -s 20000 offers.sqlite",
            words: "the database file is damaged: "),
        StartFault(
            name: "an impossible number",
            made: edit("c.execute('UPDATE store_state SET sequence = 9223372036854775807')"),
            words: "the database is corrupt: "),
        StartFault(
            name: "a text instead of a database", arguments: ["--database", "keys.yaml"],
            words: "the database file is not an SQLite database"),
        StartFault(
            name: "another program's database",
            made: "python3 -c \"import sqlite3; sqlite3.connect('other.sqlite').execute('CREATE TABLE t (a)')\"",
            arguments: ["--database", "other.sqlite"],
            words: "the database at `DIR/other.sqlite` is another program's"),
        StartFault(
            name: "a folder instead of a database", arguments: ["--database", "root"],
            words: "the database `DIR/root` is a directory"),
        StartFault(
            name: "an interrupted restore", made: "mv offers.sqlite offers.sqlite.restoring-1; rm -f offers.sqlite-*",
            words: "`DIR/offers.sqlite` is missing: a restore was interrupted"),
        StartFault(
            name: "a database that was moved away", made: "mv offers.sqlite offers.sqlite.moved; rm -f offers.sqlite-*",
            words: "`DIR/offers.sqlite` was moved to another place"),
    ]

    /// The port `{taken}` is another program's.
    static let transient = [
        StartFault(
            name: "the port of `listen` is taken", arguments: ["--listen", "127.0.0.1:{taken}"],
            words: "`127.0.0.1:{taken}` (`listen`) is in use by another program"),
        StartFault(
            name: "the port of `metrics` is taken", made: "echo 'metrics: 127.0.0.1:{taken}' >>offerd.yaml",
            words: "`127.0.0.1:{taken}` (`metrics`) is in use by another program"),
        StartFault(
            name: "the address of `listen` is not there yet", arguments: ["--listen", "192.0.2.1:0"],
            words: "`192.0.2.1:0` (`listen`) is not an address of this machine"),
        StartFault(
            name: "the address of `metrics` is not there yet", made: "echo 'metrics: 192.0.2.1:9464' >>offerd.yaml",
            words: "`192.0.2.1:9464` (`metrics`) is not an address of this machine"),
        StartFault(
            name: "the host is not known yet", arguments: ["--listen", "nowhere.invalid:0"],
            words: "`nowhere.invalid`, the host of `nowhere.invalid:0` (`listen`), is not known"),
        StartFault(
            name: "no server of the database", arguments: ["--database", "postgres://offerd@127.0.0.1:1/offers"],
            words: ""),
    ]
}

@Suite("offerd.service and how `serve` ends")
struct ServiceUnitTests {
    private static let template = Task { try await Installation() }

    /// Runs `serve` into a fault; other arguments follow those of the fault.
    private func refused(_ fault: StartFault, taken: Int = 0) async throws -> Command {
        let installation = try Installation(copying: try await Self.template.value)
        let directory = installation.directory
        func filled(_ text: String) -> String { text.replacing("{taken}", with: "\(taken)") }
        let made = try Command.run("sh", ["-ec", filled(fault.made)], directory: directory.url)
        try #require(made.status == 0, "\(made.errorText)")
        let run = try await Installation.offerd.run(
            ["serve", "--config", "offerd.yaml"] + fault.arguments.map(filled), directory: directory.url)
        let words = filled(fault.words).replacing("DIR", with: directory.url.path)
        // The log of the start may come before it.
        let errors = run.errorText.split(separator: "\n").filter { $0.hasPrefix("error: ") }
        #expect(errors.first?.hasPrefix("error: \(words)") == true, "\(run.errorText)")
        #expect(run.text.isEmpty, "nothing is announced: \(run.text)")
        return run
    }

    @Test(
        "a fault that another start would meet again ends with a status that the unit does not restart",
        arguments: StartFault.permanent)
    func permanent(_ fault: StartFault) async throws {
        let run = try await refused(fault)
        #expect(try !ServiceUnit().restarts(after: run.status), "ended with \(run.status): \(run.errorText)")
    }

    @Test(
        "a fault that may be over by the next start ends with a status that the unit restarts",
        arguments: StartFault.transient)
    func transient(_ fault: StartFault) async throws {
        let other = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let run = try await refused(fault, taken: try #require(other.localAddress?.port))
        try await other.close()
        #expect(try ServiceUnit().restarts(after: run.status), "ended with \(run.status): \(run.errorText)")
    }

    @Test("a database that another program holds is a fault that may be over by the next start")
    func busy() async throws {
        let installation = try Installation(copying: try await Self.template.value)
        let script = """
            import sqlite3, subprocess, sys
            c = sqlite3.connect("offers.sqlite", isolation_level=None)
            c.execute("PRAGMA locking_mode = EXCLUSIVE")
            c.execute("BEGIN EXCLUSIVE")
            c.execute("CREATE TABLE held (a)")
            sys.exit(subprocess.run(sys.argv[1:], timeout=60).returncode)
            """
        let run = try Command.run(
            "python3", ["-c", script, Installation.offerd.path, "serve", "--config", "offerd.yaml"],
            environment: BuiltProgram.base, directory: installation.directory.url)
        #expect(run.errorText.hasPrefix("error: another process holds the database\nhint: "), "\(run.errorText)")
        #expect(try ServiceUnit().restarts(after: run.status), "ended with \(run.status)")
    }

    @Test("the unit restarts a server that fails or is killed, and not one that was stopped")
    func unit() throws {
        let unit = try ServiceUnit()
        #expect(unit.values("Restart") == ["on-failure"])
        #expect(unit.values("RestartPreventExitStatus") == ["2"])
        #expect(!unit.restarts(after: 0))
    }

    @Test(
        "why an address cannot be listened on names the listener and its setting",
        arguments: [
            (EADDRINUSE, 1, "is in use by another program", "choose another port with `--listen`"),
            (EADDRNOTAVAIL, 1, "is not an address of this machine", "with `--listen`, such as `127.0.0.1`"),
            (EACCES, 2, "may not be listened on", "choose a higher one with `--listen`"),
            (ENOBUFS, 1, "cannot be listened on: ", nil),
        ] as [(Int32, Int32, String, String?)])
    func words(_ code: Int32, _ status: Int32, _ words: String, _ hint: String?) throws {
        let failure = ListenFailure.translate(
            IOError(errnoCode: code, reason: "bind"), address: ListenAddress(host: "127.0.0.1", port: 80), of: "listen",
            place: "`--listen`")
        let known = try #require(CommandFailure.words(failure))
        #expect(known.status.rawValue == status)
        #expect(known.message.hasPrefix("`127.0.0.1:80` (`listen`) \(words)"))
        #expect(hint.map { hint in known.hints.contains { $0.contains(hint) } } ?? known.hints.isEmpty)
    }
}
