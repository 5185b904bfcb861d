import Foundation
import OfferTestSupport

/// A shell in a folder as `Scripts/run` leaves it: a server with the key, tokens, catalog and customers of `.local/`
/// and `Examples/`, and both programs in `PATH`.
final class DocumentShell {
    struct Failed: Error {
        var what: String
    }

    /// A byte that no program of ours prints.
    private static let end = UInt8(0x1E)

    /// The reader's key of App Store Connect.
    private static let downloads = #"""
        openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 2>/dev/null >SubscriptionKey_2X9R4HXF34.p8
        """#

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let directory: TemporaryDirectory

    /// Starts the server and the shell.
    ///
    /// - Parameter withExamples: whether the catalog is applied and the customers are loaded, as `Scripts/run` does.
    init(files: [String: String], withExamples: Bool) throws {
        directory = try TemporaryDirectory()
        for (name, text) in files { try directory.write(text, to: name) }
        let root = URL(filePath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        for name in ["Examples", "Scripts"] {
            try FileManager.default.createSymbolicLink(
                at: directory.url.appending(path: name), withDestinationURL: root.appending(path: name))
        }
        let programs = URL(filePath: BuiltProgram("offerd").path).deletingLastPathComponent().path
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["bash", "--noprofile", "--norc"]
        process.environment = BuiltProgram.base.merging(
            ["PATH": "\(programs):\(BuiltProgram.base["PATH"] ?? "")", "LC_ALL": "C.UTF-8", "HOME": directory.url.path]
        ) { $1 }
        process.currentDirectoryURL = directory.url
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let examples = """
            OFFERCTL_SERVER=$url OFFERCTL_TOKEN=$(<.local/tokens/marketing) \\
                offerctl catalog apply Examples/catalog.yaml --message "Scripts/run" --confirm &&
                load_customer .local new && load_customer .local subscriber && load_customer .local lapsed
            """
        let start = try run(
            """
            source Scripts/lib.sh; source Scripts/local.sh
            offerd=\(programs)/offerd offerctl=\(programs)/offerctl
            \(Self.downloads)
            prepare_offerd "$PWD/.local" && start_offerd "$PWD/.local" && \(withExamples ? examples : "true")
            """)
        guard start.status == 0 else {
            stop()
            throw Failed(what: start.output)
        }
    }

    /// Runs one command and waits for its end.
    func run(_ command: String) throws -> (output: String, status: Int) {
        try input.fileHandleForWriting.write(contentsOf: Data("\(command)\nprintf '\\036%d\\036' $?\n".utf8))
        let output = try read()
        guard let status = Int(try read()) else { throw Failed(what: "the shell ended: \(output)") }
        return (output, status)
    }

    /// Ends the server and the shell.
    func stop() {
        try? input.fileHandleForWriting.write(contentsOf: Data("stop_offerd; exit\n".utf8))
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    private func read() throws -> String {
        var bytes = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != Self.end {
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
