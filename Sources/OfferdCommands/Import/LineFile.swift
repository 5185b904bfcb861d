import CommandLineSupport
import Foundation
import OpenSSLCrypto
import SQLiteStore

/// A file that is read line by line, in pieces: its size does not matter, and neither does that of a line.
final class LineFile {
    /// One line, without its end.
    struct Line {
        var bytes: [UInt8]
        var number: Int64
        var end: Int64
        /// Whether it was longer than lines may be; then its bytes were let go.
        var isTooLong: Bool
    }

    let path: String
    let size: Int64
    let longestLine: Int

    /// How many bytes were read from the disk, those that were read again included.
    private(set) var bytesRead: Int64 = 0

    let version: FileVersion
    private let handle: FileHandle
    private var buffer: [UInt8] = []
    private var start = 0
    private var offset: Int64 = 0
    private var number: Int64 = 0

    /// Opens a file.
    ///
    /// - Parameter what: what it is for, in the words of errors.
    init(path: String, what: String, longestLine: Int) throws {
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: URL(filePath: path).resolvingSymlinksInPath().path)
        guard let attributes else { throw CommandFailure(.usage, "there is no \(what) `\(path)`") }
        guard attributes[.type] as? FileAttributeType == .typeRegular else {
            throw CommandFailure(
                .usage, "\(what) `\(path)` is not a regular file",
                hints: ["an import must be able to go on in the middle: write what a pipe brings to a file first"])
        }
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw CommandFailure(
                .usage, "\(what) `\(path)` cannot be read", hints: ["check the file's permissions"])
        }
        guard let version = FileVersion(descriptor: handle.fileDescriptor) else {
            throw CommandFailure(.usage, "\(what) `\(path)` cannot be read")
        }
        self.handle = handle
        self.path = path
        self.longestLine = longestLine
        self.version = version
        size = version.size
        guard size > 0 else { throw CommandFailure(.usage, "\(what) `\(path)` is empty") }
        try seek(to: 0, after: 0)
    }

    deinit { try? handle.close() }

    /// Goes to the beginning of a line. One that was read a moment ago is not read from the disk again.
    ///
    /// - Parameter lines: how many come before it; counted if unknown.
    func seek(to wanted: Int64, after lines: Int64? = nil) throws {
        let position = max(0, wanted)
        if let lines, case let place = position - (offset - Int64(start)), (0...Int64(buffer.count)).contains(place),
            position > 0
        {
            (number, start, offset) = (lines, Int(place), position)
            return
        }
        number = try lines ?? count(upTo: position)
        try handle.seek(toOffset: UInt64(clamping: position))
        (buffer, start, offset) = ([], 0, position)
        if position == 0, try fill(), buffer.starts(with: [0xEF, 0xBB, 0xBF]) { (start, offset) = (3, 3) }
    }

    /// The next line; `nil` at the end of the file.
    func next() throws -> Line? {
        var line: [UInt8] = []
        var isTooLong = false
        let begin = offset
        while true {
            if start == buffer.count {
                guard try fill() else { break }
            }
            let newline = buffer[start...].firstIndex(of: 0x0A)
            let upper = newline ?? buffer.count
            if isTooLong || line.count + upper - start > longestLine {
                (line, isTooLong) = ([], true)
            } else {
                line += buffer[start..<upper]
            }
            offset += Int64(upper - start) + (newline == nil ? 0 : 1)
            start = newline.map { $0 + 1 } ?? upper
            if newline != nil { break }
        }
        guard offset > begin else {
            guard FileVersion(descriptor: handle.fileDescriptor) == version else { throw rewritten }
            return nil
        }
        number += 1
        if line.last == 0x0D { line.removeLast() }
        return Line(bytes: line, number: number, end: offset, isTooLong: isTooLong)
    }

    /// The SHA-256 of the SHA-256s of the file's pieces and of texts: which file it is, and how it is read.
    func digest(with texts: [String]) throws -> [UInt8] {
        let digest = OpenSSLDigest()
        var parts: [UInt8] = []
        try eachPiece(upTo: size) { parts += digest.sha256($0) }
        for text in texts { parts += digest.sha256(Array(text.utf8)) }
        try seek(to: 0, after: 0)
        return digest.sha256(parts)
    }

    private func count(upTo position: Int64) throws -> Int64 {
        var lines: Int64 = 0
        try eachPiece(upTo: position) { lines += Int64($0.count { $0 == 0x0A }) }
        return lines
    }

    private func eachPiece(upTo end: Int64, _ body: ([UInt8]) -> Void) throws {
        try handle.seek(toOffset: 0)
        var position: Int64 = 0
        while position < end {
            let bytes = try piece(at: position, most: min(1_048_576, end - position))
            position += Int64(bytes.count)
            body(bytes)
        }
    }

    private func fill() throws -> Bool {
        let position = offset
        guard position < size else { return false }
        buffer = try piece(at: position, most: min(262_144, size - position))
        start = 0
        return true
    }

    private func piece(at position: Int64, most: Int64) throws -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = Array(try handle.read(upToCount: Int(most)) ?? Data())
        } catch {
            throw CommandFailure(.failed, "`\(path)` cannot be read any more, at byte \(position)")
        }
        // What is missing must not look like the end: the import would be closed without it.
        let now = FileVersion(descriptor: handle.fileDescriptor)
        guard !bytes.isEmpty else { throw changed(from: size, to: now?.size ?? 0) }
        // Asked after reading: nothing that was written since it was opened gets beyond this, as far as its times tell.
        guard now == version else {
            if let now, now.size < size { throw changed(from: size, to: now.size) }
            throw rewritten
        }
        bytesRead += Int64(bytes.count)
        return bytes
    }

    var rewritten: CommandFailure {
        CommandFailure(
            .failed, "`\(path)` was written to while it was read, so nothing of it is imported",
            hints: ["leave it alone and give the same command again, with `--discard` unless it was a `--dry-run`"])
    }

    func changed(from before: Int64, to now: Int64) -> CommandFailure {
        CommandFailure(
            .failed, "`\(path)` had \(before) bytes when it was opened and has \(now) now",
            hints: ["put the whole file back and give the same command again, which goes on where it stopped"])
    }
}

/// Which file it is and when it was last written: it changes when the file does.
struct FileVersion: Equatable {
    private let identity: FileIdentity
    private let times: [Int]
    let size: Int64

    /// `nil` if it cannot be examined.
    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        identity = FileIdentity(status)
        times = [status.st_mtim, status.st_ctim].flatMap { [Int($0.tv_sec), Int($0.tv_nsec)] }
        size = Int64(status.st_size)
    }
}
