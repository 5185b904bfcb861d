import CZlib
import CommandLineSupport
import OfferModel

/// The content of a gzip file, inflated as it is read: memory depends neither on its size nor on its compression.
///
/// Reading forwards costs one pass. A place further back begins again at the start, which only an import that goes on
/// asks for.
final class GzipText: PiecewiseBytes {
    /// How many bytes it holds: counted when it is opened, so that what is damaged or a bomb is refused before anything
    /// is imported.
    private(set) var size: Int64 = 0
    private let file: RawFile
    private var stream: GzipStream
    private var position: Int64 = 0

    /// A file that holds more than these bytes must not hold more than ``mostRatio`` times its own size.
    static let unsuspicious: Int64 = 67_108_864
    /// How many times its own size a file may hold. Exports of purchases come to 5 to 40, and gzip to 1,032 at most.
    static let mostRatio: Int64 = 250

    static func isOne(_ first: [UInt8]) -> Bool { first.starts(with: [0x1F, 0x8B, 0x08]) }

    init(_ file: RawFile) throws {
        self.file = file
        stream = try GzipStream(file)
        while case let bytes = try stream.next(most: Self.atOnce), !bytes.isEmpty {
            size += Int64(bytes.count)
            guard size <= max(Self.unsuspicious, file.size.saturatingMultiplied(by: Self.mostRatio)) else {
                throw CommandFailure(
                    .usage, "`\(file.path)` holds more than \(Self.mostRatio) times its size of compressed data",
                    hints: ["no export of purchases does; if it is one, decompress it first: `gzip -d \(file.path)`"])
            }
        }
        try rewind()
    }

    func piece(at wanted: Int64, most: Int64) throws -> [UInt8] {
        if wanted < position { try rewind() }
        while position < wanted {
            position += Int64(try inflated(most: min(Int64(Self.atOnce), wanted - position)).count)
        }
        let bytes = try inflated(most: min(Int64(Self.atOnce), most))
        position += Int64(bytes.count)
        return bytes
    }

    /// - Throws: also at the end, which is nothing that a reader within ``size`` comes to.
    private func inflated(most: Int64) throws -> [UInt8] {
        let bytes = try stream.next(most: Int(most))
        guard !bytes.isEmpty else { throw file.rewritten }
        return bytes
    }

    private func rewind() throws {
        stream = try GzipStream(file)
        position = 0
    }

    private static let atOnce = 262_144
}

/// One pass over a gzip file: its members one after the other, as `gzip -d` reads them.
private final class GzipStream {
    private let file: RawFile
    /// At a fixed place: zlib keeps its address.
    private let state: UnsafeMutablePointer<z_stream>
    private var input: [UInt8] = []
    private var used = 0
    private var offset: Int64 = 0
    /// Whether a member has ended and none has begun.
    private var isBetween = false

    init(_ file: RawFile) throws {
        self.file = file
        state = .allocate(capacity: 1)
        state.initialize(to: z_stream())
        guard offerd_inflate_begin_gzip(state) == Z_OK else {
            state.deallocate()
            throw CommandFailure(.failed, "`\(file.path)` cannot be decompressed: no memory is left")
        }
    }

    deinit {
        inflateEnd(state)
        state.deallocate()
    }

    /// The next bytes; none at the end.
    func next(most: Int) throws -> [UInt8] {
        var output: [UInt8] = []
        while output.isEmpty {
            if used == input.count {
                guard offset < file.size else {
                    guard isBetween else { throw damaged("it ends in the middle", ["get the whole file again"]) }
                    return []
                }
                input = try file.piece(at: offset, most: min(262_144, file.size - offset))
                offset += Int64(input.count)
                used = 0
            }
            if isBetween, try !beginMember() { continue }
            output = try inflate(most: most)
        }
        return output
    }

    /// Goes on to the next member; the padding of tape and block devices is not one.
    private func beginMember() throws -> Bool {
        while used < input.count, input[used] == 0 { used += 1 }
        guard used < input.count else { return false }
        guard inflateReset(state) == Z_OK else { throw damaged("zlib refuses to go on", []) }
        isBetween = false
        return true
    }

    private func inflate(most: Int) throws -> [UInt8] {
        var code = Z_OK
        let output = [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
            input.withUnsafeMutableBufferPointer { bytes in
                state.pointee.next_in = bytes.baseAddress.map { $0 + used }
                state.pointee.avail_in = UInt32(clamping: bytes.count - used)
                state.pointee.next_out = buffer.baseAddress
                state.pointee.avail_out = UInt32(clamping: most)
                code = CZlib.inflate(state, Z_NO_FLUSH)
                used = bytes.count - Int(state.pointee.avail_in)
            }
            count = most - Int(state.pointee.avail_out)
        }
        switch code {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: isBetween = true
        default:
            let reason = state.pointee.msg.map { String(cString: $0) } ?? "code \(code)"
            throw damaged(reason, ["get the file again; `gzip -t \(file.path)` checks it"])
        }
        return output
    }

    private func damaged(_ reason: String, _ hints: [String]) -> CommandFailure {
        CommandFailure(
            .usage, "`\(file.path)` is damaged: its compressed data cannot be read near byte \(offset): \(reason)",
            hints: hints)
    }
}
