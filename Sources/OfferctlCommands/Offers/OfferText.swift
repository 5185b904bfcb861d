import CommandLineSupport
import OfferAPI
import OfferModel
import OfferWords

enum OfferText {
    static func table(_ offers: [OfferSummary]) -> TextTable {
        TextTable(
            ["OFFER", "STANDING", "UNTIL", "USES", "LEFT", "USED UP", "TYPE", "STARTS", "ENDS", "PRIORITY"],
            alignedRight: [3], optional: [6, 7, 8, 9],
            rows: offers.map { offer in
                [
                    offer.offerId.rawValue, StandingText.word(offer), StandingText.until(offer).map(TimeText.absolute),
                    offer.used.map { NumberWords.count($0.uses) }, StandingText.left(offer, isShort: true),
                    StandingText.usedUpAt(offer).map(TimeText.day), offer.type.rawValue,
                    offer.starts.map(TimeText.absolute), offer.ends.map(TimeText.absolute), String(offer.priority),
                ]
            })
    }

    /// - Parameter catalog: the catalog in force, where this version of offerctl can read it.
    static func lines(_ summary: OfferSummary, _ catalog: Catalog?, _ palette: Palette) -> [String] {
        var fields = FieldList()
        for field in OfferWording.fields(summary, catalog) { fields.add(field.name, field.value) }
        return [palette.paint(summary.offerId.rawValue.printable, .heading)] + fields.lines(palette, indent: 2)
    }

    /// - Parameter issued: the offers that are active and not paused.
    static func pausePreview(_ issued: [OfferSummary], _ palette: Palette) -> String {
        guard !issued.isEmpty else { return "no offer is issued now; those that become active would be paused too" }
        return list(issued, "would no longer be issued:", palette)
    }

    /// - Parameter active: the active offers. The list does not tell a pause of one from the pause of all.
    static func resumePreview(_ active: [OfferSummary], _ palette: Palette) -> String {
        guard !active.isEmpty else { return "no offer is active now" }
        guard active.allSatisfy(\.paused) else {
            return "the offers are not all paused, so nothing would be resumed"
        }
        return list(active, "would be issued again, unless paused by id as well:", palette)
    }

    private static func list(_ offers: [OfferSummary], _ change: String, _ palette: Palette) -> String {
        let title = palette.paint("\(offers.count.counted("active offer")) \(change)", .heading)
        return ([title] + offers.map { "  " + $0.offerId.rawValue.printable }).joined(separator: "\n")
    }

    static func pause(_ body: PauseState) -> String {
        let subject = body.offerId.map { "`\($0.rawValue.printable)` is" } ?? "all offers are"
        let until = body.until.map { " until \(TimeText.absolute($0))" } ?? ""
        return switch (body.paused, body.changed) {
        case (true, true): "\(subject) paused\(until)"
        case (true, false): "\(subject) paused already\(until)"
        case (false, true): body.offerId == nil ? "the pause of all offers is lifted" : "\(subject) resumed"
        case (false, false): "\(subject) not paused\(body.offerId == nil ? " as a whole" : "")"
        }
    }
}
