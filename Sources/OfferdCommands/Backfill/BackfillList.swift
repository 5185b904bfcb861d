import Foundation
import OfferModel
import OpenSSLCrypto

/// The ids of a file, one a line; blank lines and what follows a `#` do not count.
struct BackfillList: Sendable {
    /// One id with the line it stands in, from 1.
    struct Entry: Sendable, Equatable {
        var line: Int
        var id: String
    }

    let entries: [Entry]
    /// SHA-256 of the file, so that work is never taken up on another list.
    let digest: String

    /// Reads a file.
    ///
    /// - Throws: ``CommandFailure`` naming the file and the cause.
    init(file: String) throws {
        let text = try TextFile.read(file, what: "list of ids")
        self.init(text)
        guard !entries.isEmpty else {
            throw CommandFailure.configuration(
                "list of ids `\(file)` has none",
                hints: ["write an `originalTransactionId`, a `transactionId` or an `appTransactionId` on each line"])
        }
    }

    init(_ text: String) {
        digest = Hexadecimal.lowercase(OpenSSLDigest().sha256(Array(text.utf8)))
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        entries = lines.enumerated().compactMap { index, line in
            let id = line.prefix { $0 != "#" }.trimmingCharacters(in: .whitespacesAndNewlines)
            return id.isEmpty ? nil : Entry(line: index + 1, id: id)
        }
    }
}
