import CommandLineSupport
import OpenSSLCrypto

/// A file that is read line by line, in pieces: its size does not matter, and neither does that of a line. What gzip
/// compressed is read as what it holds.
final class LineFile {
    /// One line, without its end.
    struct Line {
        var bytes: [UInt8]
        var number: Int64
        var end: Int64
        /// Whether it was longer than lines may be; then its bytes were let go.
        var isTooLong: Bool
    }

    let file: RawFile
    let longestLine: Int
    private let text: any PiecewiseBytes
    private var buffer: [UInt8] = []
    private var start = 0
    private var offset: Int64 = 0
    private var number: Int64 = 0

    var path: String { file.path }
    /// Of the text, not of the file.
    var size: Int64 { text.size }

    /// - Parameter what: its purpose, in the words of errors.
    init(path: String, what: String, longestLine: Int) throws {
        file = try RawFile(path: path, what: what)
        self.longestLine = longestLine
        guard file.size > 0 else { throw CommandFailure(.usage, "\(what) `\(path)` is empty") }
        text = GzipText.isOne(try file.piece(at: 0, most: 16)) ? try GzipText(file) : file
        guard text.size > 0 else { throw CommandFailure(.usage, "\(what) `\(path)` is empty") }
        try FileKind.requireText(try text.piece(at: 0, most: 16), of: path)
        try seek(to: 0, after: 0)
    }

    /// Goes to the beginning of a line.
    ///
    /// - Parameter lines: how many come before it; counted if unknown.
    func seek(to wanted: Int64, after lines: Int64? = nil) throws {
        let position = max(0, wanted)
        number = try lines ?? count(upTo: position)
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
            try file.requireUnchanged()
            return nil
        }
        number += 1
        if line.last == 0x0D { line.removeLast() }
        return Line(bytes: line, number: number, end: offset, isTooLong: isTooLong)
    }

    /// The next line that is not blank; `nil` at the end of the file.
    func nextFilled() throws -> Line? {
        while let line = try next() {
            if line.isTooLong || line.bytes.contains(where: { $0 != 0x20 && $0 != 0x09 }) { return line }
        }
        return nil
    }

    /// The SHA-256 of the SHA-256s of the file's pieces and of texts: which file it is, and how it is read.
    func digest(with texts: [String]) throws -> [UInt8] {
        let digest = OpenSSLDigest()
        var parts: [UInt8] = []
        try file.eachPiece(upTo: file.size) { parts += digest.sha256($0) }
        for text in texts { parts += digest.sha256(Array(text.utf8)) }
        try seek(to: 0, after: 0)
        return digest.sha256(parts)
    }

    private func count(upTo position: Int64) throws -> Int64 {
        var lines: Int64 = 0
        try text.eachPiece(upTo: position) { lines += Int64($0.count { $0 == 0x0A }) }
        return lines
    }

    private func fill() throws -> Bool {
        let position = offset
        guard position < size else { return false }
        buffer = try text.piece(at: position, most: min(262_144, size - position))
        start = 0
        return true
    }
}
