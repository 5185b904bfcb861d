import Foundation
import OfferTestSupport
import Synchronization

/// A shell in a mount namespace of its own, so that what is mounted there is nobody else's and goes away with it.
final class Enclosure: Sendable {
    struct Failed: Error {
        var what: String
    }

    /// As root a namespace of mounts is enough; others need one of users too, which some kernels do not allow.
    private static let unshare = getuid() == 0 ? ["-m"] : ["-rm"]

    /// Whether this machine lets us mount a file system of our own.
    static let isPossible: Bool = {
        let script = "d=$(mktemp -d) && mount -t tmpfs -o size=1m none $d && umount $d && rmdir $d"
        return (try? Command.run("unshare", unshare + ["sh", "-e", "-c", script]))?.status == 0
    }()

    private struct Ends {
        var process: Process
        var input: FileHandle
        var output: FileHandle
        var rest = Data()
    }

    private let ends: Mutex<Ends>

    init(directory: URL) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["unshare"] + Self.unshare + ["sh"]
        process.environment = BuiltProgram.base
        process.currentDirectoryURL = directory
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        ends = Mutex(
            Ends(process: process, input: input.fileHandleForWriting, output: output.fileHandleForReading))
    }

    deinit {
        ends.withLock { ends in
            try? ends.input.close()
            ends.process.waitUntilExit()
        }
    }

    /// Runs commands in the shell and gives what they print and how they end.
    @discardableResult
    func run(_ commands: String) throws -> (status: Int32, text: String) {
        let mark = "end-\(UUID().uuidString)"
        return try ends.withLock { ends in
            try ends.input.write(contentsOf: Data("{ \(commands)\n} 2>&1; echo \"\(mark) $?\"\n".utf8))
            while true {
                let text = String(decoding: ends.rest, as: UTF8.self)
                if let found = text.range(of: "\(mark) "), let end = text[found.upperBound...].firstIndex(of: "\n") {
                    ends.rest = Data(text[text.index(after: end)...].utf8)
                    let status = Int32(text[found.upperBound..<end]) ?? -1
                    return (status, String(text[..<found.lowerBound]))
                }
                let chunk = ends.output.availableData
                guard !chunk.isEmpty else { throw Failed(what: "the shell has ended: \(text)") }
                ends.rest += chunk
            }
        }
    }
}
