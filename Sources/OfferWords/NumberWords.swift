import Charts
import OfferModel

/// Numbers as people read them; answers of the API and CSV files have the exact ones.
package enum NumberWords {
    private static let withoutDecimals: Set = [
        "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF", "XPF",
    ]
    private static let withThreeDecimals: Set = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"]

    /// `1,234`.
    package static func count(_ number: Int) -> String { ChartNumber(number).text }

    /// `1,384.63 USD` of `1384.627`.
    package static func money(_ amount: String, _ currency: String) -> String {
        "\(self.amount(amount, currency)) \(currency)"
    }

    package static func amount(_ amount: String, _ currency: String) -> String {
        let rounded = rounded(amount, currency)
        return ChartNumber(decimal: rounded)?.text ?? rounded
    }

    /// A decimal with the digits that the currency usually has, `1384.63` of `1384.627`; as it is if it is none.
    static func rounded(_ amount: String, _ currency: String) -> String {
        let sign = amount.hasPrefix("-") ? "-" : ""
        guard let exact = Money.milliunits(amount.dropFirst(sign.count)) else { return amount }
        let isWhole = withoutDecimals.contains(currency)
        let step: Int64 = isWhole ? 1_000 : withThreeDecimals.contains(currency) ? 1 : 10
        let text = Money(milliunits: exact.saturatingAdding(step / 2) / step * step, currency: currency).amount
        return sign + (isWhole ? text.dropLast(3) : text[...])
    }
}
