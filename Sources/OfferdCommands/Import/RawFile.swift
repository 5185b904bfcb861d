import CommandLineSupport
import Foundation

/// Bytes that are read in pieces from anywhere.
protocol PiecewiseBytes: AnyObject {
    var size: Int64 { get }

    /// Some bytes from a place on, at least one.
    func piece(at position: Int64, most: Int64) throws -> [UInt8]
}

/// A regular file as it is on the disk, which must stay as it is while it is read.
final class RawFile: PiecewiseBytes {
    let path: String
    let version: FileVersion
    /// How many bytes were read from the disk, those that were read again included.
    private(set) var bytesRead: Int64 = 0
    private let handle: FileHandle

    var size: Int64 { version.size }

    /// - Parameter what: its purpose, in the words of errors.
    init(path: String, what: String) throws {
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
        self.version = version
    }

    deinit { try? handle.close() }

    func piece(at position: Int64, most: Int64) throws -> [UInt8] {
        let bytes: [UInt8]
        do {
            try handle.seek(toOffset: UInt64(clamping: position))
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

    func requireUnchanged() throws {
        guard FileVersion(descriptor: handle.fileDescriptor) == version else { throw rewritten }
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

extension PiecewiseBytes {
    /// Every byte up to a place, a megabyte at a time.
    func eachPiece(upTo end: Int64, _ body: ([UInt8]) throws -> Void) throws {
        var position: Int64 = 0
        while position < end {
            let bytes = try piece(at: position, most: min(1_048_576, end - position))
            position += Int64(bytes.count)
            try body(bytes)
        }
    }
}
