import Foundation
import OfferTestSupport
import Testing

@Suite("An interrupted restore")
struct InterruptedRestoreTests {
    private static let calls = ["rename,renameat,renameat2", "link,linkat", "unlink,unlinkat", "fsync", "fdatasync"]
    private static let restore = ["restore", "copy.sqlite", "--config", "offerd.yaml", "--replace"]

    /// What a database holds that a process was killed at, and a copy of it that differs.
    private enum Content {
        static let former = "com.example.pro,in.the.log"
        static let copy = "com.example.pro,in.the.copy"
    }

    /// A database with its newest commit in its log alone, and a copy.
    private func installation(isBroken: Bool) async throws -> Installation {
        let installation = try await Installation()
        let made = try await Installation.offerd.run(
            ["backup", "--config", "offerd.yaml", "--out", "copy.sqlite"], directory: installation.directory.url)
        try #require(made.status == 0, "\(made.errorText)")
        let program = """
            import os, sqlite3, sys
            def add(path, name):
                connection = sqlite3.connect(path, isolation_level=None)
                connection.execute("PRAGMA wal_autocheckpoint = 0")
                connection.execute("INSERT INTO scope (bundle_id, environment, generation) VALUES (?, 'Sandbox', 0)", (name,))
                return connection
            add("copy.sqlite", "in.the.copy").close()
            former = add("offers.sqlite", "in.the.log")
            if sys.argv[1] == "true":
                with open("offers.sqlite", "r+b") as file: file.write(b"no database any more")
                os.remove("offers.sqlite-shm")
            os._exit(0)
            """
        let ready = try Command.run(
            "python3", ["-c", program, "\(isBroken)"], directory: installation.directory.url)
        try #require(ready.status == 0, "\(ready.errorText)")
        return installation
    }

    private func content(_ name: String, in installation: Installation) throws -> String {
        let sql = "SELECT group_concat(bundle_id) FROM (SELECT bundle_id FROM scope ORDER BY 1)"
        let read = try Command.run("sqlite3", [installation.directory.path(name), sql])
        return (read.text + read.errorText).trimmingCharacters(in: .newlines)
    }

    private func bytes(_ name: String, in installation: Installation) -> Data? {
        FileManager.default.contents(atPath: installation.directory.path(name))
    }

    @Test(
        "killed before any of its steps, it leaves the whole former database, the whole copy, or nothing that opens",
        .enabled(if: SystemCallTrace.isPossible, "`strace` is missing here, or may not trace"),
        arguments: [false, true])
    func interrupted(isBroken: Bool) async throws {
        let whole = try await installation(isBroken: isBroken)
        var points = 0
        for call in Self.calls {
            for number in 1... {
                let installation = try Installation(copying: whole)
                let run = try Command.run(
                    "strace",
                    [
                        "-f", "-o", "/dev/null", "-e", "trace=\(call)", "-e",
                        "inject=\(call):signal=KILL:when=\(number)", Installation.offerd.path,
                    ] + Self.restore, directory: installation.directory.url)
                if run.status == 0 { break }
                points += 1
                try #require(points < 200)
                let place = "\(call) \(number), \(run.errorText)"
                if FileManager.default.fileExists(atPath: installation.directory.path("offers.sqlite")) {
                    let content = try content("offers.sqlite", in: installation)
                    let isFormer = isBroken ? content.contains("not a database") : content == Content.former
                    #expect(isFormer || content == Content.copy, "\(place): \(content)")
                } else {
                    let next = try await Installation.offerd.run(
                        ["migrate", "--config", "offerd.yaml"], directory: installation.directory.url)
                    #expect(next.status == 1 && next.errorText.contains("a restore was interrupted"), "\(place)")
                    #expect(next.errorText.contains("hint: give the `offerd restore` command again"))
                }
                let again = try await Installation.offerd.run(Self.restore, directory: installation.directory.url)
                #expect(again.status == 0, "\(place): \(again.errorText)")
                #expect(try content("offers.sqlite", in: installation) == Content.copy, "\(place)")
            }
        }
        #expect(points > 10, "the steps were not met")
    }

    @Test(
        "the loss of power cannot exchange two of its steps: each new name is flushed before the next",
        .enabled(if: SystemCallTrace.isPossible, "`strace` is missing here, or may not trace"),
        arguments: [false, true])
    func flushed(isBroken: Bool) async throws {
        let installation = try await installation(isBroken: isBroken)
        let log = installation.directory.path("trace")
        let run = try Command.run(
            "strace",
            [
                "-f", "--seccomp-bpf", "-y", "-s", "256", "-e",
                "trace=rename,renameat,renameat2,link,linkat,unlink,unlinkat,fsync,fdatasync", "-e", "signal=none",
                "-o", log,
                Installation.offerd.path,
            ] + Self.restore, directory: installation.directory.url)
        try #require(run.status == 0, "\(run.errorText)")
        let directory = installation.directory.url.resolvingSymlinksInPath().path
        let calls = SystemCallTrace(try String(contentsOfFile: log, encoding: .utf8)).calls
        let names = calls.filter { call in
            !call.isFlush && !["fsync", "fdatasync"].contains(call.name) && call.text.hasSuffix("= 0")
                && ["offers.sqlite\"", "offers.sqlite-wal\""].contains { call.text.contains("/" + $0) }
        }
        // Those of the kept names may come in any order, as long as they come before the own name goes.
        let steps = names.filter { !$0.name.hasPrefix("link") || $0.text.contains("/offers.sqlite\"") }
        #expect(steps.count >= 3, "\(names.map(\.text))")
        for (index, step) in steps.enumerated() {
            let next = index + 1 < steps.count ? steps[index + 1].begin : Int.max
            let isFlushed = calls.contains { call in
                call.isFlush && call.file == Substring(directory) && call.begin > step.end && call.end < next
            }
            #expect(isFlushed, "\(step.name) \(step.text)")
        }
        let last = try #require(steps.last)
        #expect(last.name.hasPrefix("rename"))
        #expect(
            calls.contains { $0.isFlush && $0.file.hasSuffix("/offers.sqlite.restoring") && $0.end < last.begin },
            "the copy itself is flushed before it gets the name")
        let kept = try #require(
            FileManager.default.contentsOfDirectory(atPath: directory).first {
                $0.hasPrefix("offers.sqlite.before-") && $0.hasSuffix("Z")
            })
        if !isBroken { #expect(try content(kept, in: installation) == Content.former) }
        if isBroken { #expect(bytes(kept, in: installation)?.starts(with: Data("no database".utf8)) == true) }
        #expect(bytes("offers.sqlite-wal", in: installation) == nil)
        #expect(bytes("offers.sqlite.restoring", in: installation) == nil)
    }
}
