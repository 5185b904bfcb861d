import ArgumentParser

/// `offerctl offers`: the offers in force, and the kill switch.
struct OffersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "offers",
        abstract: "List, show, pause and resume offers.",
        discussion: """
            Example:
              offerctl offers list
              offerctl offers pause comeback-half-price
            """,
        subcommands: [OffersList.self, OffersShow.self, OffersPause.self, OffersResume.self])
}
