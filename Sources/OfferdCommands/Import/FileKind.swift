import CommandLineSupport

/// The kind of a file that is not UTF-8 text, by its first bytes.
struct FileKind {
    let name: String
    /// The command that converts it to text, with `FILE` for the file's path.
    let hint: String

    /// - Throws: what a file is and how to make text of it, if its first bytes give it away.
    static func requireText(_ first: [UInt8], of path: String) throws {
        guard let kind = of(first) else { return }
        throw CommandFailure(
            .usage, "`\(path)` is \(kind.name) and not text in UTF-8",
            hints: [kind.hint.replacing("FILE", with: path)])
    }

    private static func of(_ first: [UInt8]) -> FileKind? {
        signatures.first { first.starts(with: $0.bytes) }?.kind ?? unmarked(first)
    }

    private static let signatures: [(bytes: [UInt8], kind: FileKind)] = [
        ([0xFF, 0xFE, 0x00, 0x00], wide("UTF-32")), ([0x00, 0x00, 0xFE, 0xFF], wide("UTF-32")),
        ([0xFF, 0xFE], wide("UTF-16")), ([0xFE, 0xFF], wide("UTF-16")),
        (
            [0x50, 0x4B, 0x03, 0x04],
            FileKind("a ZIP archive or an Excel workbook", "unpack it, or save it as CSV UTF-8")
        ),
        ([0xD0, 0xCF, 0x11, 0xE0], FileKind("an Excel workbook", "save it as CSV UTF-8")),
        ([0x28, 0xB5, 0x2F, 0xFD], FileKind("compressed with zstd", "decompress it: `zstd -d FILE`")),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], FileKind("compressed with xz", "decompress it: `xz -d FILE`")),
        (Array("BZh91AY&SY".utf8), FileKind("compressed with bzip2", "decompress it: `bzip2 -d FILE`")),
        (Array("PAR1\u{15}".utf8), FileKind("a Parquet file", "choose CSV where it is exported, or convert it")),
        (Array("SQLite format 3\u{0}".utf8), FileKind("an SQLite database", "export a table of it as CSV")),
        (Array("%PDF-".utf8), FileKind("a PDF document", "export the data as CSV")),
    ]

    /// UTF-16 without a byte order mark: every second byte of ASCII is zero.
    private static func unmarked(_ first: [UInt8]) -> FileKind? {
        let bytes = first.prefix(8)
        guard bytes.count == 8 else { return nil }
        func isZero(_ rest: Int) -> Bool {
            bytes.enumerated().allSatisfy { ($0.offset % 2 == rest) == ($0.element == 0) }
        }
        if isZero(1) { return wide("UTF-16LE") }
        return isZero(0) ? wide("UTF-16BE") : nil
    }

    private static func wide(_ encoding: String) -> FileKind {
        FileKind(encoding, "convert it: `iconv -f \(encoding) -t UTF-8 FILE > utf8`")
    }

    private init(_ name: String, _ hint: String) {
        (self.name, self.hint) = (name, hint)
    }
}
