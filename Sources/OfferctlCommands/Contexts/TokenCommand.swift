import CommandLineSupport
import Dispatch
import Foundation
import OfferDocuments

extension ContextToken {
    /// The longest token file, and the most that a command may print.
    private static let most = 4_096

    /// Reads the token; spaces and line breaks around it are left out.
    ///
    /// - Parameter seconds: how long a command may take.
    func read(within seconds: Int) throws(CommandFailure) -> String {
        let bytes: [UInt8]
        switch self {
        case .file(let path): bytes = try Self.bytes(ofFile: path)
        case .command(let words): bytes = try TokenCommand(words).output(within: seconds, most: Self.most)
        }
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func bytes(ofFile path: String) throws(CommandFailure) -> [UInt8] {
        var status = stat()
        let exists = stat(path, &status) == 0
        // Before it is opened: that of a named pipe waits for a writer.
        guard !exists || status.st_mode & S_IFMT == S_IFREG else {
            throw CommandFailure(
                .usage, "token file `\(path)` is not a regular file",
                hints: ["a token from a pipe goes to the standard input of `offerctl login`"])
        }
        if exists, status.st_mode & 0o077 != 0 {
            let mode = String(status.st_mode & 0o7777, radix: 8)
            throw CommandFailure(
                .usage, "token file `\(path)` has mode `0\(mode)`: the group or others have access to it",
                hints: ["chmod 600 \(path)"])
        }
        return try InputFile.bytes(path, "token file", most: most)
    }
}

/// A program that prints a token, such as that of a password manager.
///
/// It is started itself, without a shell: nothing in its words is expanded. Its environment and folder are those of
/// `offerctl`, and so is its terminal; where there is none, its standard input is empty, and what it writes to standard
/// error is shown only if it fails.
struct TokenCommand {
    private let words: [String]

    init(_ words: [String]) { self.words = words }

    private var name: String { "token command `\(words.joined(separator: " "))`" }

    /// The program by its path: one without a slash is looked up in `PATH`, where only absolute folders count.
    func program(_ path: String?) throws(CommandFailure) -> String {
        let name = words.first ?? ""
        if name.contains("/") { return URL(filePath: name).path }
        let places = (path ?? "").split(separator: ":").filter { $0.hasPrefix("/") }.map { folder in
            "\(folder)/\(name)"
        }
        guard let program = places.first(where: { access($0, X_OK) == 0 }) else {
            throw CommandFailure(
                .usage, "\(self.name): there is no program `\(name)` in PATH",
                hints: ["write the path of the program; a shell's aliases and functions are no programs"])
        }
        return program
    }

    func output(within seconds: Int, most: Int) throws(CommandFailure) -> [UInt8] {
        let deadline = DispatchTime.now() + .seconds(seconds)
        let program = try program(ProcessInfo.processInfo.environment["PATH"])
        guard let child = ChildProcess(program, Array(words.dropFirst())) else {
            throw CommandFailure(
                .usage, "\(name) cannot be run", hints: ["check that the program exists and may be run"])
        }
        let written = Self.collect(child.streams, most: most, until: deadline)
        if let written, written[0].count > most {
            child.end()
            throw CommandFailure(
                .failed, "\(name) printed more than \(most) bytes", hints: ["it must print the token alone"])
        }
        guard let written, let status = child.status(until: deadline) else {
            child.end()
            throw CommandFailure(
                .failed, "\(name) did not end within \(seconds) s",
                hints: ["run it by itself to see what it waits for, or set a longer `--timeout`"])
        }
        let errors = written.count > 1 ? written[1] : []
        guard status == 0 else {
            // As wait(2) has it: the low seven bits are the signal, the next byte is the status.
            let how = status & 0x7F == 0 ? "ended with status \(status >> 8)" : "was ended by signal \(status & 0x7F)"
            throw CommandFailure(.failed, "\(name) \(how)", hints: Self.hints(errors))
        }
        guard written[0].contains(where: { $0 > 0x20 }) else {
            throw CommandFailure(.failed, "\(name) printed nothing", hints: Self.hints(errors))
        }
        return written[0]
    }

    private static func hints(_ errors: [UInt8]) -> [String] {
        let lines = String(decoding: errors, as: UTF8.self).split(whereSeparator: \.isNewline)
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        return lines.isEmpty ? [] : ["it says: " + lines.joined(separator: " / ").prefix(1_000)]
    }

    /// What comes from each stream until all have ended, or the first has more than `most` bytes; at most one byte more
    /// than that of each. `nil` if the deadline comes first.
    private static func collect(_ streams: [Int32], most: Int, until deadline: DispatchTime) -> [[UInt8]]? {
        var written = streams.map { _ in [UInt8]() }
        var polled = streams.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while polled.contains(where: { $0.fd >= 0 }), written[0].count <= most {
            let now = DispatchTime.now()
            guard now < deadline else { return nil }
            let left = (deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000 + 1
            guard poll(&polled, nfds_t(polled.count), Int32(clamping: left)) > 0 else { continue }
            for index in polled.indices where polled[index].revents != 0 {
                let count = read(polled[index].fd, &buffer, buffer.count)
                // A negative number is passed over by the next poll.
                guard count > 0 else {
                    polled[index].fd = -1
                    continue
                }
                let room = most + 1 - written[index].count
                written[index] += buffer.prefix(min(count, room))
            }
        }
        return written
    }
}
