/// A number of a chart: where it is drawn, and exactly how it is written, `-4,965.00`.
package struct ChartNumber: Sendable, Hashable {
    let value: Double
    package let text: String
    /// Whether it counts something, so that an axis needs no fractions.
    let isWhole: Bool
    /// Whether it is the number itself, so that it can be a share of another.
    private var isExact = true

    init(value: Double, text: String) {
        (self.value, self.text, isWhole) = (value, text, false)
    }

    /// A count that is only known to be small; it is drawn as none.
    package init(fewerThan count: Int) {
        (value, text, isWhole, isExact) = (0, "fewer than \(ChartNumber(count).text)", true, false)
    }

    package init(_ count: Int) {
        value = Double(count)
        text = (count < 0 ? "-" : "") + Self.grouped(String(count.magnitude))
        isWhole = true
    }

    /// A decimal such as `-4965.00`; `nil` if it is none, or has more than 30 characters.
    package init?(decimal: String) {
        let digits = decimal.hasPrefix("-") ? decimal.dropFirst() : decimal[...]
        let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let areDigits = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        guard areDigits, decimal.utf8.count <= 30, let value = Double(decimal) else { return nil }
        let whole = (decimal.hasPrefix("-") ? "-" : "") + Self.grouped(String(parts[0]))
        self.init(value: value, text: ([whole] + parts.dropFirst().map(String.init)).joined(separator: "."))
    }

    /// `31.7 %`; `nil` where there is nothing to be a share of.
    func share(of whole: ChartNumber) -> String? {
        guard isExact, whole.value > 0 else { return nil }
        return Int(exactly: (value / whole.value * 1_000).rounded()).map { Self.text($0, tenTo: -1) + " %" }
    }

    private static let suffixes = ["", " k", " M", " bn", " tn", " ×10¹⁵", " ×10¹⁸"]

    private static func unit(of magnitude: Double) -> Int {
        suffixes.indices.last { magnitude >= power(3 * $0) } ?? 0
    }

    static func power(_ exponent: Int) -> Double { Double("1e\(exponent)") ?? 1 }

    /// `mantissa` times ten to `exponent`; if a magnitude is given, in thousands, millions and so on of that.
    static func text(_ mantissa: Int, tenTo exponent: Int, inUnitsOf magnitude: Double? = nil) -> String {
        guard mantissa != 0 else { return "0" }
        if let unit = magnitude.map(unit), unit > 0 {
            return text(mantissa, tenTo: exponent - 3 * unit) + suffixes[unit]
        }
        let sign = mantissa < 0 ? "-" : ""
        let digits = String(mantissa.magnitude)
        guard exponent < 0 else { return sign + grouped(digits + zeros(exponent)) }
        let padded = zeros(1 - exponent - digits.count) + digits
        return "\(sign)\(grouped(String(padded.dropLast(-exponent)))).\(padded.suffix(-exponent))"
    }

    private static func zeros(_ count: Int) -> String { String(repeating: "0", count: max(0, count)) }

    private static func grouped(_ digits: String) -> String {
        let first = digits.count % 3
        return digits.enumerated().map { $0 > 0 && $0 % 3 == first ? ",\($1)" : String($1) }.joined()
    }
}
