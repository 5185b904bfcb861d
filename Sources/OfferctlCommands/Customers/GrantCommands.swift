import ArgumentParser
import CommandLineSupport
import NIOHTTP1
import OfferAPI
import OfferModel
import OfferWords

struct CustomersGrant: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant",
        abstract: "Let a customer have an offer once, although its rules or limits say no.",
        discussion: """
            Goodwill for one customer: the next request for the offer uses the grant, if it needs it. A grant lifts the offer's \
            own rules and limits, and takes no place of others. Apple's rules, the offer's status and dates, a pause, the \
            rollout and the holdout stay. A key may make a limited number a day. An erasure removes the reason: the number of the \
            ticket is enough. Needs a key with the role support.

            Example:
              offerctl customers grant --customer-id user-17 --offer comeback-half-price \\
                --reason "ticket 4711"
            """)

    @OptionGroup var customer: CustomerOptions

    @Option(help: ArgumentHelp("The offer, by its id in the catalog.", valueName: "id"))
    var offer: String

    @Option(help: ArgumentHelp("The reason, for the record.", valueName: "text"))
    var reason: String

    @Option(
        help: ArgumentHelp(
            "When the grant ends if it was not used: a day, from its beginning in UTC, or a moment.", valueName: "date"),
        transform: Instant.dateArgument)
    var expires: Instant?

    @OptionGroup var answer: AnswerOptions

    mutating func validate() throws {
        try customer.checkGiven()
        guard !reason.isEmpty else { throw ValidationError("`--reason` must not be empty") }
    }

    func run() async throws {
        let request = GrantRequestBody { body in
            (body.customer, body.offerId) = (customer.reference, OfferId(offer))
            (body.reason, body.expiresAt) = (reason, expires)
        }
        try await answer.show { client in
            try await client.confirm("grant the customer one use of `\(offer)`")
            let reply = try await client.post("/v1/grants", request, as: GrantView.self)
            for line in GrantText.warnings(
                await client.obstaclesOfApple(to: reply.body.offerId, of: request.customer), of: reply.body)
            {
                Console.note(line)
            }
            return reply
        } text: { body in
            GrantText.text(body, answer.output.palette)
        }
    }
}

extension OfferdClient {
    /// What rules of Apple's, which no grant lifts, say against an offer now. None where a dry-run cannot tell: the grant is
    /// made either way.
    fileprivate func obstaclesOfApple(to offer: OfferId, of customer: CustomerIdentifiers) async -> [FindingBody] {
        // Of every offer: one that is asked for by its id needs a product where it has several.
        var inquiry = Inquiry()
        inquiry.customer = customer
        let reply = try? await post("/v1/decisions", inquiry, as: DecisionsBody.self)
        return (reply?.body.decisions.first { $0.offerId == offer }?.findings ?? []).filter {
            $0.rule.hasPrefix("platform.") && $0.verdict == Verdict.violated.rawValue
        }
    }
}

struct CustomersGrants: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grants",
        abstract: "List what support has granted a customer.",
        discussion: """
            Newest first. Any identifier finds the customer, also without an option that says what it is. Needs a key with \
            the role support.

            Example:
              offerctl customers grants --customer-id user-17
            """)

    @Argument(help: "An identifier of any kind, instead of an option.")
    var identifier: String?

    @OptionGroup var customer: CustomerOptions
    @OptionGroup var answer: AnswerOptions

    mutating func validate() throws {
        guard let identifier else { return try customer.checkGiven() }
        guard !identifier.isEmpty else { throw ValidationError("an identifier of a customer cannot be empty") }
        guard customer.given.isEmpty else {
            throw ValidationError("`\(identifier)` names the customer by itself: leave it or the option out")
        }
    }

    func run() async throws {
        let name = identifier.map { [("identifier", $0)] } ?? customer.reference.query
        try await answer.list("/v1/grants", name, empty: "nothing was granted", table: { GrantText.table($0) })
    }
}

struct CustomersRevokeGrant: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke-grant",
        abstract: "Revoke a grant that was not used yet.",
        discussion: """
            One that was used stays: `issued void` stops further signatures of the issued offer. Needs a key with the role \
            support.

            Example:
              offerctl customers revoke-grant 6f1d3a52-7c0b-4b0e-9f3a-2d5e8c1b7a90
            """)

    @Argument(
        help: ArgumentHelp("The grant, as `customers grants` shows it.", valueName: "id"),
        transform: LowercaseUUID.argument("a grant's id"))
    var id: LowercaseUUID

    @OptionGroup var answer: AnswerOptions

    func run() async throws {
        try await answer.show { client in
            try await client.confirm("revoke the grant `\(id)`")
            return try await client.call(.DELETE, "/v1/grants/\(id)", as: GrantView.self)
        } text: { body in
            GrantText.text(body, answer.output.palette)
        }
    }
}

/// Grants of support for people.
enum GrantText {
    static func table(_ items: [GrantView]) -> TextTable {
        TextTable(
            ["GRANTED", "OFFER", "STATE", "UNTIL", "BY", "ID", "REASON"], optional: [4], endsInDetail: true,
            rows: items.map { item in
                [
                    TimeText.absolute(item.grantedAt), item.offerId.rawValue, item.state.rawValue,
                    item.expiresAt.map { TimeText.absolute($0) }, CatalogWords.author(item.actor, nil, item.person),
                    item.grantId.description, item.reason,
                ]
            })
    }

    static func text(_ item: GrantView, _ palette: Palette) -> String {
        var fields = FieldList()
        fields.add("offer", item.offerId.rawValue)
        fields.add("state", "\(item.state.rawValue): \(meaning(item.state))")
        fields.add("granted", TimeText.absolute(item.grantedAt))
        fields.add("by key", CatalogWords.author(item.actor, nil, item.person))
        fields.add("reason", item.reason)
        fields.add("until", item.expiresAt.map { TimeText.absolute($0) })
        fields.add("used by", item.issuedOfferId?.description)
        fields.add("revoked", item.revokedAt.map { TimeText.absolute($0) })
        fields.add("revoked by", item.revokedBy.map { CatalogWords.author($0, nil, item.revokedByPerson) })
        let heading = palette.paint(item.grantId.description, .heading)
        return ([heading] + fields.lines(palette, indent: 2)).joined(separator: "\n")
    }

    /// What to know of a grant that is of no use now.
    static func warnings(_ obstacles: [FindingBody], of grant: GrantView) -> [String] {
        guard !obstacles.isEmpty else { return [] }
        return obstacles.map {
            "warning: Apple would not give the offer now: \(($0.message ?? $0.reason).printable)  [\($0.rule.printable)]"
        } + [
            "hint: no grant lifts a rule of Apple's; `offerctl customers revoke-grant \(grant.grantId)` takes it back"
        ]
    }

    private static func meaning(_ state: GrantState) -> String {
        switch state {
        case .open: "the next request for the offer uses it if it needs it"
        case .used: "an issued offer used it"
        case .revoked: "it cannot be used any more"
        case .expired: "it was not used in time"
        }
    }
}
