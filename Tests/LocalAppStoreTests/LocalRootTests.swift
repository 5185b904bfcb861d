import Foundation
import LocalAppStore
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite struct LocalRootTests {
    private let files = ["intermediate.der", "leaf.der", "leaf.key", "root.der"]

    private func error(_ body: () throws -> Void) -> LocalRootError? {
        do {
            try body()
            return nil
        } catch {
            return error as? LocalRootError
        }
    }

    @Test("a root is written as four files, its key readable by the owner alone, and read back the same")
    func roundTrip() throws {
        let scratch = try TemporaryDirectory()
        let directory = scratch.path("certs")
        let root = try LocalRoot.make(now: now)
        try root.write(to: directory)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == files)
        let attributes = try FileManager.default.attributesOfItem(atPath: directory + "/leaf.key")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let read = try LocalRoot(directory: directory)
        #expect(read.rootDER == root.rootDER)
        #expect(read.intermediateDER == root.intermediateDER)
        #expect(read.leafDER == root.leafDER)
        #expect(Array(try Data(contentsOf: URL(filePath: directory + "/root.der"))) == root.rootDER)
    }

    @Test("an existing root is never overwritten, not even a part of one")
    func noOverwriting() throws {
        for file in files {
            let scratch = try TemporaryDirectory()
            let directory = scratch.path("certs")
            try scratch.write("precious", to: "certs/\(file)")
            let root = try LocalRoot.make(now: now)
            let found = error { try root.write(to: directory) }
            #expect(found?.message == "`\(directory)` has a `\(file)` already")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [file])
            #expect(try String(contentsOfFile: directory + "/\(file)", encoding: .utf8) == "precious")
        }
    }

    @Test("a missing certificate is named, with the command that makes one")
    func missingFile() throws {
        let scratch = try TemporaryDirectory()
        let found = error { _ = try LocalRoot(directory: scratch.path("none")) }
        #expect(found?.message == "`\(scratch.path("none"))` has no readable `root.der`")
        #expect(found?.hint == "make a root with `offerd dev root --out \(scratch.path("none"))`")
    }

    @Test("a key file that others can read is refused")
    func openKey() throws {
        let scratch = try TemporaryDirectory()
        let directory = scratch.path("certs")
        try LocalRoot.make(now: now).write(to: directory)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: directory + "/leaf.key")
        let found = #expect(throws: SigningKeyError.self) { try LocalRoot(directory: directory) }
        #expect(found?.code == .openToOthers)
    }

    @Test(
        "files of two roots are told apart when they are read", arguments: ["root.der", "intermediate.der", "leaf.der"])
    func mixedFiles(file: String) throws {
        let scratch = try TemporaryDirectory()
        let directory = scratch.path("certs")
        try LocalRoot.make(now: now).write(to: directory)
        try LocalRoot.make(now: now).write(to: scratch.path("other"))
        let target = URL(filePath: directory + "/\(file)")
        try Data(contentsOf: URL(filePath: scratch.path("other") + "/\(file)")).write(to: target)
        let found = error { _ = try LocalRoot(directory: directory) }
        let expected =
            file == "leaf.der"
            ? "`leaf.der` in `\(directory)` cannot be used: the private key does not belong to the certificate"
            : "the certificates in `\(directory)` do not belong together: "
        #expect(found?.message.hasPrefix(expected) == true, "\(found?.message ?? "no error")")
        #expect(found?.hint == "make a new root in another directory with `offerd dev root --out DIR`")
    }

    @Test("no private key is seen in a description or a dump (invariant 9)")
    func redacted() throws {
        let scratch = try TemporaryDirectory()
        let root = try LocalRoot.make(now: now)
        try root.write(to: scratch.path("certs"))
        let pem = try String(contentsOfFile: scratch.path("certs/leaf.key"), encoding: .utf8)
        let secret = try #require(pem.split(separator: "\n").dropFirst().first)
        var dumped = ""
        dump(root, to: &dumped)
        dump(LocalAppStore(root: root), to: &dumped)
        for text in [dumped, "\(root)", String(reflecting: root)] {
            #expect(!text.contains(secret))
            #expect(!text.contains("PRIVATE KEY"))
        }
    }

    @Test("each certificate says that it is a local test certificate and not Apple's")
    func subjects() throws {
        let scratch = try TemporaryDirectory()
        try LocalRoot.make(now: now).write(to: scratch.path("certs"))
        for file in files where file.hasSuffix(".der") {
            let command = try Command.run(
                "openssl", ["x509", "-inform", "der", "-in", scratch.path("certs/\(file)"), "-noout", "-subject"])
            #expect(command.status == 0, "\(command.errorText)")
            #expect(command.text.contains("offerd local test"))
            #expect(command.text.contains("not Apple"))
        }
    }
}
