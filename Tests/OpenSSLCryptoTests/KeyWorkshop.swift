import Foundation
import OfferTestSupport

/// Keys made by the `openssl` command in a directory of their own, so that none is committed.
struct KeyWorkshop {
    struct Failure: Error {
        let text: String
    }

    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Runs `openssl` in the directory and returns what it printed.
    @discardableResult
    func openssl(_ arguments: String...) throws -> String {
        let command = try Command.run("openssl", arguments, directory: directory.url)
        guard command.status == 0 else { throw Failure(text: command.errorText) }
        return command.text
    }

    /// A PKCS#8 P-256 key of mode 0600, such as Apple hands out.
    func goodKey(_ name: String = "good.p8") throws -> String {
        try openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", name)
        return try secured(name)
    }

    /// The path of a file, now of mode 0600.
    func secured(_ name: String, permissions: Int = 0o600) throws -> String {
        let path = directory.path(name)
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
        return path
    }

    func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: directory.path(name))), as: UTF8.self)
    }
}
