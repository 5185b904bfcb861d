import Foundation
import OfferTestSupport
import Testing

@Suite("An interrupted restore")
struct InterruptedRestoreTests {
    private static let names = ["rename,renameat,renameat2", "link,linkat", "unlink,unlinkat"]
    private static let calls = names + ["fsync", "fdatasync"]
    private static let restore = ["restore", "copy.sqlite", "--config", "offerd.yaml", "--replace"]

    /// The content of a database whose process was killed, and a copy of it that differs.
    private enum Content {
        static let former = "com.example.pro,in.the.log"
        static let copy = "com.example.pro,in.the.copy"
    }

    /// The files that a restore finds at the database's path.
    enum Former: String, CaseIterable, Sendable {
        case whole
        /// SQLite writes the log back into it before it gives up.
        case withoutHeader
        /// SQLite cannot write the log back, so it stays beside the file.
        case withLog
        case missing

        var isDamaged: Bool { self == .withoutHeader || self == .withLog }
    }

    /// A database with its newest commit in its log alone, and a copy.
    private func installation(_ former: Former) async throws -> Installation {
        let installation = try await Installation()
        let made = try await Installation.offerd.run(
            ["backup", "--config", "offerd.yaml", "--out", "copy.sqlite"], directory: installation.directory.url)
        try #require(made.status == 0, "\(made.errorText)")
        // The files are copied while the connection is open: SQLite writes the log back and deletes it when it closes.
        let program = """
            import os, shutil, sqlite3, sys
            def add(path, name):
                connection = sqlite3.connect(path, isolation_level=None)
                connection.execute("PRAGMA wal_autocheckpoint = 0")
                connection.execute("INSERT INTO scope (bundle_id, environment, generation) VALUES (?, 'Sandbox', 0)", (name,))
                return connection
            add("copy.sqlite", "in.the.copy").close()
            connection = add("offers.sqlite", "in.the.log")
            for ending in ["", "-wal"]: shutil.copy("offers.sqlite" + ending, "open" + ending)
            connection.close()
            for ending in ["", "-wal", "-shm"]:
                if os.path.exists("offers.sqlite" + ending): os.remove("offers.sqlite" + ending)
            for ending in ["", "-wal"]:
                if sys.argv[1] == "missing": os.remove("open" + ending)
                else: os.rename("open" + ending, "offers.sqlite" + ending)
            if sys.argv[1] in ["withoutHeader", "withLog"]:
                with open("offers.sqlite", "r+b") as file:
                    if sys.argv[1] == "withLog": file.seek(16)
                    file.write(b"no database any more" if sys.argv[1] == "withoutHeader" else bytes([0x20, 0]))
            """
        let ready = try Command.run(
            "python3", ["-c", program, former.rawValue], directory: installation.directory.url)
        try #require(ready.status == 0, "\(ready.errorText)")
        let hasLog = bytes("offers.sqlite-wal", in: installation).map { !$0.isEmpty } ?? false
        try #require(hasLog == (former != .missing))
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

    /// The names that begin with the database's, in order.
    private func names(in installation: Installation) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: installation.directory.url.path)
            .filter { $0.hasPrefix("offers.sqlite") }.sorted()
    }

    /// Runs a restore once for each of some calls, and kills it before that call.
    ///
    /// - Returns: how often it was killed.
    @discardableResult
    private func killed(
        in start: Installation, before calls: [String] = calls, _ body: (Installation, String) async throws -> Void
    ) async throws -> Int {
        var points = 0
        for call in calls {
            for number in 1... {
                let installation = try Installation(copying: start)
                let run = try Command.run(
                    "strace",
                    [
                        "-f", "-o", "/dev/null", "-e", "trace=\(call)", "-e",
                        "inject=\(call):signal=KILL:when=\(number)", Installation.offerd.path,
                    ] + Self.restore, directory: installation.directory.url)
                if run.status == 0 { break }
                points += 1
                try #require(points < 200)
                try await body(installation, "\(call) \(number), \(run.errorText)")
            }
        }
        #expect(points > 3, "the steps were not met")
        return points
    }

    /// Expects the whole former database, the whole copy, or a refusal to begin an empty one; then that a restore which
    /// is not killed succeeds, with the former database kept.
    private func expectWhole(
        _ installation: Installation, former: Former, log: Data?, _ place: String
    ) async throws {
        let names = try names(in: installation)
        if names.contains("offers.sqlite") {
            let isDamaged = try former.isDamaged && content("copied", in: copied(installation)) != Content.copy
            if isDamaged {
                #expect(former != .withLog || bytes("offers.sqlite-wal", in: installation) == log, "\(place)")
            } else {
                let content = try content("offers.sqlite", in: installation)
                #expect([former == .whole ? Content.former : Content.copy, Content.copy].contains(content), "\(place)")
            }
        } else if former != .missing || names.contains(where: { $0.hasPrefix("offers.sqlite.restoring") }) {
            let next = try await Installation.offerd.run(
                ["migrate", "--config", "offerd.yaml"], directory: installation.directory.url)
            #expect(next.status == 1 && next.errorText.contains("a restore was interrupted"), "\(place): \(names)")
            #expect(next.errorText.contains("hint: run `offerd restore` again"), "\(place)")
            #expect(try self.names(in: installation) == names, "\(place)")
        }
        let last = try await Installation.offerd.run(Self.restore, directory: installation.directory.url)
        #expect(last.status == 0, "\(place): \(last.errorText)")
        #expect(try content("offers.sqlite", in: installation) == Content.copy, "\(place)")
        let after = try self.names(in: installation)
        #expect(!after.contains { $0.hasPrefix("offers.sqlite.restoring") }, "\(place): \(after)")
        guard former != .missing else { return }
        let kept = after.filter { $0.hasPrefix("offers.sqlite.before-") && $0.hasSuffix("Z") }
        switch former {
        case .whole: #expect(try kept.contains { try content($0, in: installation) == Content.former }, "\(place)")
        case .withoutHeader:
            let isKept = kept.contains {
                bytes($0, in: installation)?.starts(with: Data("no database".utf8)) == true
            }
            #expect(isKept, "\(place): \(after)")
        case .withLog: #expect(kept.contains { bytes($0 + "-wal", in: installation) == log }, "\(place): \(after)")
        case .missing: break
        }
    }

    /// The same files with the database as `copied`, so that looking at it changes nothing.
    private func copied(_ installation: Installation) throws -> Installation {
        let other = try Installation(copying: installation)
        try FileManager.default.moveItem(
            atPath: other.directory.path("offers.sqlite"), toPath: other.directory.path("copied"))
        return other
    }

    @Test(
        "killed before any of its steps, it leaves the whole former database, the whole copy, or nothing that opens",
        .enabled(if: SystemCallTrace.isPossible, "`strace` is missing here, or may not trace"),
        arguments: Former.allCases)
    func interrupted(former: Former) async throws {
        let start = try await installation(former)
        let log = bytes("offers.sqlite-wal", in: start)
        try await killed(in: start) { try await expectWhole($0, former: former, log: log, $1) }
    }

    @Test(
        "killed, and killed again at any step of the next attempt, it never lets an empty database begin",
        .enabled(if: SystemCallTrace.isPossible, "`strace` is missing here, or may not trace"),
        arguments: Former.allCases)
    func interruptedTwice(former: Former) async throws {
        let start = try await installation(former)
        let log = bytes("offers.sqlite-wal", in: start)
        var states: Set<[String]> = []
        var ends: Set<[String]> = []
        // What a kill before a flush leaves, a kill before the next change of a name leaves too.
        try await killed(in: start, before: Self.names) { first, place in
            // Steps that leave the same files are one case.
            guard try states.insert(state(first)).inserted else { return }
            try await killed(in: first, before: Self.names) { second, next in
                guard try ends.insert(state(second)).inserted else { return }
                try await expectWhole(second, former: former, log: log, "\(place), then \(next)")
            }
        }
        #expect(states.count > 2 && ends.count > 2)
    }

    /// The files by their names, without times and random parts, and what they hold.
    private func state(_ installation: Installation) throws -> [String] {
        try names(in: installation).map { name in
            let kind = name.replacing(#/before-[0-9T.-]+Z/#, with: "before")
                .replacing(#/(new-|restoring\.)[0-9A-F]{8}/#, with: "draft")
            return "\(kind) \(bytes(name, in: installation)?.hashValue ?? 0)"
        }
    }

    @Test("the copy that an interrupted restore has left can be restored itself")
    func ownCopy() async throws {
        let installation = try await installation(.missing)
        let left = installation.directory.path("offers.sqlite.restoring")
        try FileManager.default.moveItem(atPath: installation.directory.path("copy.sqlite"), toPath: left)
        let run = try await Installation.offerd.run(
            ["restore", "offers.sqlite.restoring", "--config", "offerd.yaml"], directory: installation.directory.url)
        #expect(run.status == 0, "\(run.errorText)")
        #expect(try content("offers.sqlite", in: installation) == Content.copy)
        #expect(!FileManager.default.fileExists(atPath: left))
    }

    @Test("a former database that was cut to no length is kept with its log")
    func emptied() async throws {
        let installation = try await installation(.whole)
        let log = bytes("offers.sqlite-wal", in: installation)
        try installation.directory.write("", to: "offers.sqlite")
        let run = try await Installation.offerd.run(Self.restore, directory: installation.directory.url)
        try #require(run.status == 0, "\(run.errorText)")
        let kept = try names(in: installation).first { $0.hasSuffix("Z-wal") }
        #expect(try bytes(#require(kept), in: installation) == log)
        #expect(try content("offers.sqlite", in: installation) == Content.copy)
    }

    @Test(
        "the loss of power cannot exchange two of its steps: each new name is flushed before the next",
        .enabled(if: SystemCallTrace.isPossible, "`strace` is missing here, or may not trace"),
        arguments: [Former.whole, .withoutHeader, .withLog])
    func flushed(former: Former) async throws {
        let installation = try await installation(former)
        let formerLog = bytes("offers.sqlite-wal", in: installation)
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
        let ready = try #require(
            calls.first { $0.name.hasPrefix("rename") && $0.text.contains("/offers.sqlite.restoring\")") })
        #expect(
            calls.contains { $0.isFlush && $0.file.contains("/offers.sqlite.restoring.") && $0.end < ready.begin },
            "the copy itself is flushed before it gets a name")
        let first = try #require(steps.first { $0.text.contains("/offers.sqlite\"") })
        #expect(
            calls.contains {
                $0.isFlush && $0.file == Substring(directory) && $0.begin > ready.end && $0.end < first.begin
            }, "its name is flushed before the database's changes")
        let kept = try #require(
            FileManager.default.contentsOfDirectory(atPath: directory).first {
                $0.hasPrefix("offers.sqlite.before-") && $0.hasSuffix("Z")
            })
        switch former {
        case .whole, .missing: #expect(try content(kept, in: installation) == Content.former)
        case .withoutHeader: #expect(bytes(kept, in: installation)?.starts(with: Data("no database".utf8)) == true)
        case .withLog: #expect(bytes(kept + "-wal", in: installation) == formerLog)
        }
        #expect(bytes("offers.sqlite-wal", in: installation) == nil)
        #expect(bytes("offers.sqlite.restoring", in: installation) == nil)
    }
}
