import OfferApplication
import OfferModel
import OfferStore

/// What came of an import, in words.
enum ImportText {
    static func lines(_ report: ImportReport, isRehearsal: Bool, completeAsOf: Instant?) -> [String] {
        let counts = report.counts
        var lines = ["read: \(counts.lines) lines, \(counts.refused) refused"]
        lines += report.refused.sorted { $0.key < $1.key }.map { reason, count in "  \(reason): \(count)" }
        let would = isRehearsal ? "would be " : ""
        lines.append(
            "\(would)added: \(counts.added), updated: \(counts.updated), unchanged: \(counts.unchanged), "
                + "repeated: \(counts.repeated)")
        lines.append("subscriptions: \(counts.subscriptions)")
        if let completeAsOf { lines.append(complete(report, asOf: completeAsOf, isRehearsal: isRehearsal)) }
        if isRehearsal { lines.append("nothing was written") }
        return lines
    }

    private static func complete(_ report: ImportReport, asOf: Instant, isRehearsal: Bool) -> String {
        let end = asOf.adding(milliseconds: Instant.Duration.day)
        if report.counts.gaps > 0 {
            return "complete: of nobody, because \(report.counts.gaps) refused lines may tell of more purchases"
        }
        return isRehearsal
            ? "complete: would be stated as of \(asOf), which serves until \(end)"
            : "complete: stated of \(report.counts.stated) customers as of \(asOf), which serves until \(end)"
    }
}
