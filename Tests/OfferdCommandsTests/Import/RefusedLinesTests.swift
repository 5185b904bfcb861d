import CommandLineSupport
import Foundation
import OfferStore
import OfferTestSupport
import Testing

@testable import OfferdCommands

@Suite("The file of refused lines")
struct RefusedLinesTests {
    private static let line = RefusedLine(line: 2, reason: "malformed", detail: "no JSON")
    private static let json = #"{"detail":"no JSON","line":2,"reason":"malformed"}"# + "\n"
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: directory.path(name), encoding: .utf8)
    }

    @Test("is its owner's alone, and takes the place of an older one when it is whole")
    func replaced() throws {
        try directory.write("older", to: "r.jsonl", permissions: 0o644)
        let refused = try RefusedLines(path: directory.path("r.jsonl"), inputs: [])
        try refused.add([Self.line])
        #expect(try text("r.jsonl") == "older")
        try refused.finish()
        try refused.finish()
        #expect(try text("r.jsonl") == Self.json)
        let mode = try FileManager.default.attributesOfItem(atPath: directory.path("r.jsonl"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["r.jsonl"])
    }

    @Test("of an import that did not come to its end leaves the older one, and nothing beside it")
    func unfinished() throws {
        try directory.write("older", to: "r.jsonl")
        do {
            let refused = try RefusedLines(path: directory.path("r.jsonl"), inputs: [])
            try refused.add([Self.line])
        }
        #expect(try text("r.jsonl") == "older")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["r.jsonl"])
    }

    @Test("takes away what a run that was killed has left beside it, and nothing of one that is at it")
    func leftovers() throws {
        let ended = Process()
        ended.executableURL = URL(filePath: "/bin/true")
        try ended.run()
        ended.waitUntilExit()
        let gone = ended.processIdentifier
        let others = [
            // Of one that runs, of another file, of no process, and what only looks like one.
            "r.jsonl.\(getppid()).part", "s.jsonl.\(gone).part", "r.jsonl.x.part", "r.jsonl.0\(gone).part",
            "r.jsonl.\(gone).part.bak",
        ]
        for name in others + ["r.jsonl.\(gone).part"] { try directory.write("left", to: name) }
        try RefusedLines(path: directory.path("r.jsonl"), inputs: []).finish()
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        #expect(Set(names) == Set(others + ["r.jsonl"]))

        // A process of another container may have the number, and holds the lock.
        let draft = try directory.write("in work", to: "r.jsonl.\(gone).part")
        let held = open(draft, O_RDONLY | O_CLOEXEC)
        try #require(flock(held, LOCK_EX | LOCK_NB) == 0)
        AtomicFile.removeLeftovers(of: directory.path("r.jsonl"))
        #expect(FileManager.default.fileExists(atPath: draft))
        close(held)
        // What is imported may be called so too.
        AtomicFile.removeLeftovers(of: directory.path("r.jsonl"), except: [draft])
        #expect(FileManager.default.fileExists(atPath: draft))
        AtomicFile.removeLeftovers(of: directory.path("r.jsonl"))
        #expect(!FileManager.default.fileExists(atPath: draft))
    }

    @Test("holds the lock of its draft until it is whole")
    func locked() throws {
        let refused = try RefusedLines(path: directory.path("r.jsonl"), inputs: [])
        let draft = open(directory.path("r.jsonl.\(getpid()).part"), O_RDONLY | O_CLOEXEC)
        try #require(draft >= 0)
        defer { close(draft) }
        #expect(flock(draft, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        try refused.finish()
        // It waits: a program that another test starts at this moment has the draft's descriptor until it executes.
        #expect(flock(draft, LOCK_EX) == 0)
    }

    @Test("is written where a link leads, and the link stays")
    func linked() throws {
        try directory.write("older", to: "r.jsonl")
        symlink("r.jsonl", directory.path("link.jsonl"))
        let refused = try RefusedLines(path: directory.path("link.jsonl"), inputs: [])
        try refused.add([Self.line])
        try refused.finish()
        #expect(try text("r.jsonl") == Self.json)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: directory.path("link.jsonl")) == "r.jsonl")
    }

    @Test(
        "is never the file that is imported, whatever it is called",
        arguments: ["e.jsonl", "hard", "soft", "./e.jsonl"])
    func input(_ name: String) throws {
        let input = try directory.write("purchases", to: "e.jsonl")
        try #require(link(input, directory.path("hard")) == 0)
        try #require(symlink("e.jsonl", directory.path("soft")) == 0)
        let path = "\(directory.url.path)/\(name)"
        let failure = #expect(throws: CommandFailure.self) { _ = try RefusedLines(path: path, inputs: ["/", input]) }
        #expect(failure?.status.rawValue == 2 && failure?.message == "`--refused \(path)` is the file that is imported")
        #expect(try text("e.jsonl") == "purchases")
    }

    @Test("can be neither a folder nor in one that is not there")
    func unwritable() throws {
        for (path, message) in [
            (directory.url.path, "is not a regular file"), (directory.path("no/r.jsonl"), "cannot be written"),
            ("/dev/null", "is not a regular file"),
        ] {
            let failure = #expect(throws: CommandFailure.self) { _ = try RefusedLines(path: path, inputs: []) }
            #expect(failure?.status.rawValue == 2 && failure?.message == "`\(path)` \(message)")
        }
    }
}
