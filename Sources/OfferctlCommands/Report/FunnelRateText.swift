import OfferAPI
import OfferModel

/// The shares of a funnel in words and per cent.
enum FunnelRateText {
    /// `60.0 %`; absent without anybody to be a share of.
    static func share(_ count: Int, of whole: Int?) -> String? {
        guard let whole, whole > 0 else { return nil }
        return percent(Double(count) / Double(whole))
    }

    /// The comparison with those held out; nothing where nobody is.
    static func lift(_ lift: HoldoutLiftBody) -> [String] {
        guard lift.heldOut.customers > 0 else { return [] }
        let (treated, heldOut) = (group(lift.treated, "offered it"), group(lift.heldOut, "held out"))
        let groups = "  active now: \(treated), \(heldOut)"
        guard let difference = lift.difference, let interval = lift.interval else {
            let isSmall = min(lift.treated.customers, lift.heldOut.customers) < lift.minimumCustomers
            return [
                groups,
                isSmall
                    ? "  not enough data for the lift: each side needs \(lift.minimumCustomers) customers"
                    : "  no lift: retention removed why some were refused, so not all who were held out are known",
            ]
        }
        let range = "\(signed(interval.lower)) to \(signed(interval.upper)) percentage points"
        return [
            groups, "  lift \(signed(difference)) percentage points; 95 % interval \(range) (Newcombe)",
        ]
    }

    /// How many stayed of those who had cancelled; nothing where nobody had.
    static func saveRate(_ rate: SaveRateBody) -> [String] {
        guard rate.judged + rate.pending > 0 else { return [] }
        let share = share(rate.saved, of: rate.judged).map { ": \($0)" } ?? ""
        let pending = rate.pending > 0 ? ", \(rate.pending) not yet judged" : ""
        let unknown = rate.undetermined > 0 ? ", \(rate.undetermined) of them not known" : ""
        return [
            "  save rate \(rate.definition.printable)\(share)",
            "  (\(rate.saved) of \(rate.judged) who redeemed after cancelling renew 30 days later\(unknown)\(pending))",
        ]
    }

    private static func group(_ group: HoldoutLiftBody.Group, _ name: String) -> String {
        let unknown = group.undetermined > 0 ? "\(group.undetermined) not known" : nil
        let details = [share(group.active, of: group.customers), unknown].compactMap(\.self).joined(separator: ", ")
        return "\(group.active) of \(group.customers) \(name)" + (details.isEmpty ? "" : " (\(details))")
    }

    private static func percent(_ share: Double) -> String { "\(tenths(share)) %" }

    private static func signed(_ share: Double) -> String { share < 0 ? tenths(share) : "+" + tenths(share) }

    /// Hundredths with one decimal.
    private static func tenths(_ share: Double) -> String {
        let tenths = Int(saturating: (share * 1_000).rounded())
        return "\(tenths < 0 ? "-" : "")\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
    }
}
