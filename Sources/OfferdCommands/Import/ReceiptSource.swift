import AppStoreData
import CommandLineSupport
import Foundation
import OfferApplication
import OfferModel

/// Answers of verifyReceipt and notifications on disk, one after the other; only one file is open at a time, and one
/// answer in memory.
final class ReceiptSource: ImportSource {
    private let files: [ReceiptFile]
    /// Where each file begins and the last one ends, in bytes; each counts one more than it has, so that behind its
    /// last line is still in it.
    private let starts: [Int64]
    private let reader: ReceiptReader
    private let now: Instant
    private var place = 0
    private var open: LineFile?
    private var number: Int64 = 0
    private(set) var leftOut = 0

    /// - Parameter now: the wall clock, which no answer may be ahead of.
    init(_ files: [ReceiptFile], reader: ReceiptReader, now: Instant) {
        self.files = files
        starts = files.reduce(into: [0]) { starts, file in starts.append((starts.last ?? 0) + file.size + 1) }
        self.reader = reader
        self.now = now
    }

    var size: Int64 { starts[files.count] }

    func resume(at position: Int64, after lines: Int64) throws {
        number = lines
        (place, open) = (0, nil)
        while place < files.count, starts[place + 1] <= position { place += 1 }
        let rest = position - starts[place]
        guard rest > 0, place < files.count else { return }
        let file = try files[place].open()
        try file.seek(to: rest)
        open = file
    }

    func next() throws -> ImportLine? {
        while place < files.count {
            let file = try open ?? files[place].open()
            open = file
            guard files[place].hasLines else {
                let content = try whole(file)
                (place, open) = (place + 1, nil)
                return line(content, at: "`\(file.path)`", end: starts[place])
            }
            if let found = try file.nextFilled() {
                return line(
                    found.isTooLong ? nil : found.bytes, at: "`\(file.path):\(found.number)`",
                    end: starts[place] + found.end)
            }
            (place, open) = (place + 1, nil)
        }
        return nil
    }

    /// A whole file's bytes; `nil` if they are more than an answer has.
    private func whole(_ file: LineFile) throws -> [UInt8]? {
        var bytes: [UInt8] = []
        while let line = try file.next() {
            guard !line.isTooLong, bytes.count + line.bytes.count < ReceiptReader.maximumBytes else { return nil }
            bytes += line.bytes + [0x0A]
        }
        return bytes
    }

    private func line(_ bytes: [UInt8]?, at place: String, end: Int64) -> ImportLine {
        number += 1
        return ImportLine(number: number, end: end, place: place, content: content(bytes))
    }

    private func content(_ bytes: [UInt8]?) -> Result<ImportedHistory, ImportRefusal> {
        guard let bytes else {
            return .failure(ImportRefusal(.tooLong, "the answer has more than \(ReceiptReader.maximumBytes) bytes"))
        }
        do throws(ReceiptRefusal) {
            let receipt = try reader.read(bytes, now: now)
            leftOut += receipt.skippedPurchases
            guard !receipt.transactions.isEmpty || !receipt.renewalInfos.isEmpty else {
                return .failure(ImportRefusal(.noPurchase, "the answer has no subscription"))
            }
            return .success(
                ImportedHistory(
                    transactions: receipt.transactions, renewalInfos: receipt.renewalInfos,
                    appAccountToken: receipt.appAccountToken, customerId: receipt.customerId))
        } catch {
            return .failure(ImportRefusal(error))
        }
    }
}

extension ImportRefusal {
    /// Every problem of an answer on one line, counted by the first.
    fileprivate init(_ refusal: ReceiptRefusal) {
        let problems = refusal.problems.map { problem in
            "\(problem)\(problem.hint.map { " (\($0))" } ?? "")"
        }
        let more = refusal.more > 0 ? ["and \(refusal.more) more"] : []
        self.init(
            refusal.problems.first.flatMap { Reason(rawValue: $0.reason.rawValue) } ?? .malformed,
            (problems + more).joined(separator: "; "))
    }
}

/// A file with answers of verifyReceipt or with notifications.
struct ReceiptFile {
    let path: String
    /// Whether each of its lines is an answer.
    let hasLines: Bool
    /// Of its text.
    let size: Int64
    private let version: FileVersion

    /// Files as they are named, and for a folder those in it that end in `.json`, `.jsonl` or `.ndjson`, by name.
    static func all(at paths: [String]) throws -> [ReceiptFile] {
        try paths.flatMap { path in
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue else {
                return [try ReceiptFile(path: path)]
            }
            return try files(in: path)
        }
    }

    private static func files(in folder: String) throws -> [ReceiptFile] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw CommandFailure(.usage, "`\(folder)` cannot be read", hints: ["check the folder's permissions"])
        }
        let known = names.filter { lineExtensions.union(["json"]).contains(FileName.ending(of: $0)) }.sorted()
        guard !known.isEmpty else {
            throw CommandFailure(
                .usage, "`\(folder)` holds no receipts", hints: ["their names end in .json, .jsonl or .ndjson"])
        }
        return try known.map {
            try ReceiptFile(path: "\(folder.hasSuffix("/") ? String(folder.dropLast()) : folder)/\($0)")
        }
    }

    private init(path: String) throws {
        self.path = path
        let file = try LineFile(path: path, what: "receipt", longestLine: ReceiptReader.maximumBytes)
        version = file.file.version
        size = file.size
        hasLines = try Self.lineExtensions.contains(FileName.ending(of: path)) || Self.hasObjectOnEachLine(file)
    }

    func open() throws -> LineFile {
        let file = try LineFile(path: path, what: "receipt", longestLine: ReceiptReader.maximumBytes)
        let now = file.file.version
        guard now.size == version.size else { throw file.file.changed(from: version.size, to: now.size) }
        guard now == version else { throw file.file.rewritten }
        return file
    }

    /// Whether the first two lines are objects, each as a whole: an answer as Apple gives it has many lines.
    private static func hasObjectOnEachLine(_ file: LineFile) throws -> Bool {
        for _ in 0..<2 {
            guard let line = try file.nextFilled(), !line.isTooLong else { return false }
            let text = line.bytes.drop { $0 == 0x20 || $0 == 0x09 }
            let last = text.last { $0 != 0x20 && $0 != 0x09 }
            guard text.first == UInt8(ascii: "{"), last == UInt8(ascii: "}") else { return false }
        }
        return true
    }

    private static let lineExtensions: Set<String> = ["jsonl", "ndjson"]
}
