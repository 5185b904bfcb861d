import OfferModel

extension ReceiptNode {
    /// A date, named without its ending: `purchase_date` is read from `purchase_date_ms`, and where that is absent from
    /// `purchase_date` itself, which is milliseconds too in Apple's oldest answers and else `2019-02-24 15:03:03 Etc/GMT`.
    func date(_ name: String) throws(ReceiptProblem) -> Instant? {
        for name in ["\(name)_ms", name] {
            guard let text = try text(name) else { continue }
            guard let date = Self.instant(text) else {
                throw problem("`\(text)` is no date", at: name, hint: "write milliseconds since 1970")
            }
            guard Self.dates.contains(date) else {
                throw problem(
                    "`\(text)` is \(date), which is no date of a purchase", .implausibleDate, at: name,
                    hint: "write milliseconds since 1970, not seconds")
            }
            return date
        }
        return nil
    }

    func requiredDate(_ name: String) throws(ReceiptProblem) -> Instant {
        guard let date = try date(name) else { throw missing("\(name)_ms") }
        return date
    }

    private static func instant(_ text: String) -> Instant? {
        if let milliseconds = Int64(text) { return Instant(milliseconds: milliseconds) }
        let parts = text.split(separator: " ")
        guard parts.count == 3, parts[2] == "Etc/GMT" else { return nil }
        return Instant(iso8601: "\(parts[0])T\(parts[1])Z")
    }

    /// The App Store opened on 2008-07-10.
    private static let dates = Instant(milliseconds: 1_215_648_000_000)...InputBounds.instants.upperBound
}
