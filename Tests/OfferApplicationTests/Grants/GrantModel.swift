import OfferModel

/// What should happen, in the plainest words: issued offers, redemptions and grants of a few customers, without any rule
/// of the service's own.
struct GrantModel {
    struct Issue {
        var customer: Int
        var offer: String
        var issuedAt: Instant
        var signedAt: Instant
        var signings = 1
        /// Whose transaction the newest signatures name: another of the same customer's gets its own.
        var signedFor: Int
        var isVoided = false
        /// Whether a redemption of it was known once: since then it is never open again.
        var wasRedeemed = false
        /// The place of the grant that gave it.
        var grant: Int?

        var countsUntil: Instant { signedAt.adding(milliseconds: 25 * Instant.Duration.hour) }
    }

    struct Grant {
        var customer: Int
        var offer: String
        var grantedAt: Instant
        var expiresAt: Instant?
        var isUsed = false
        var isRevoked = false

        func isOpen(at now: Instant) -> Bool { !isUsed && !isRevoked && expiresAt.map { now < $0 } ?? true }
    }

    enum Answer: Equatable {
        case refused
        /// An issued offer that was there, by its place.
        case again(Int)
        case new(grant: Int?)
    }

    /// How often each offer may be used: by one customer, or by all together.
    static let once = "once"
    static let allowed = ["once": 1, "few": 2, "dear": 2]

    var issues: [Issue] = []
    var grants: [Grant] = []
    var redemptions: [(customer: Int, offer: String, at: Instant)] = []
    /// The customer that each is one with.
    private var owners: [Int] = [0, 1, 2, 3]

    func owner(_ customer: Int) -> Int { owners[customer] }

    /// How often each issued offer was redeemed: each redemption used the newest that was issued before it.
    private var uses: [Int: Int] {
        var uses: [Int: Int] = [:]
        for redemption in redemptions {
            let newest = issues.indices.filter {
                owner(issues[$0].customer) == owner(redemption.customer) && issues[$0].offer == redemption.offer
                    && issues[$0].issuedAt <= redemption.at
            }.max { issues[$0].issuedAt < issues[$1].issuedAt }
            if let newest { uses[newest, default: 0] += 1 }
        }
        return uses
    }

    /// What counts under limits: of what a grant gave, only redemptions beyond the first.
    func places(of offer: String, by customer: Int? = nil, without open: Int? = nil, at now: Instant) -> Int {
        let uses = uses
        return issues.indices.filter { place in
            issues[place].offer == offer && place != open
                && customer.map { owner($0) == owner(issues[place].customer) } ?? true
        }.reduce(0) { sum, place in
            guard issues[place].grant == nil else { return sum + max(0, (uses[place] ?? 0) - 1) }
            return sum + (uses[place] ?? (now < issues[place].countsUntil ? 1 : 0))
        }
    }

    func open(_ customer: Int, _ offer: String, at now: Instant) -> Int? {
        let uses = uses
        return issues.indices.first { place in
            let issue = issues[place]
            return owner(issue.customer) == owner(customer) && issue.offer == offer && uses[place] == nil
                && !issue.isVoided && !issue.wasRedeemed && now < issue.countsUntil
        }
    }

    func openGrant(_ customer: Int, _ offer: String, at now: Instant) -> Int? {
        grants.indices.first { place in
            owner(grants[place].customer) == owner(customer) && grants[place].offer == offer
                && grants[place].isOpen(at: now)
        }
    }

    func hasRedeemed(_ customer: Int, _ offer: String? = nil) -> Bool {
        redemptions.contains { owner($0.customer) == owner(customer) && (offer == nil || $0.offer == offer) }
    }

    mutating func issue(_ customer: Int, _ offer: String, at now: Instant) -> Answer {
        // The offer runs for a month, longer than any run of the test.
        if hasRedeemed(customer, offer) { return .refused }
        let open = open(customer, offer, at: now)
        let taken = places(of: offer, by: offer == Self.once ? customer : nil, without: open, at: now)
        let hasRoom = taken < Self.allowed[offer] ?? 0
        if let open {
            guard hasRoom || issues[open].grant != nil else { return .refused }
            let isFresh = now <= issues[open].signedAt.adding(milliseconds: 23 * Instant.Duration.hour)
            if isFresh, issues[open].signedFor == customer { return .again(open) }
            guard issues[open].signings < Offer.defaultSignaturesPerOffer else { return .refused }
            issues[open].signings += 1
            (issues[open].signedAt, issues[open].signedFor) = (now, customer)
            return .again(open)
        }
        let grant = hasRoom ? nil : openGrant(customer, offer, at: now)
        guard hasRoom || grant != nil else { return .refused }
        if let grant { grants[grant].isUsed = true }
        issues.append(
            Issue(customer: customer, offer: offer, issuedAt: now, signedAt: now, signedFor: customer, grant: grant))
        return .new(grant: grant)
    }

    mutating func redeem(_ customer: Int, _ offer: String, at now: Instant) {
        redemptions.append((customer, offer, now))
        noteRedeemed()
    }

    private mutating func noteRedeemed() {
        for place in uses.keys { issues[place].wasRedeemed = true }
    }

    /// Two customers are one: of their open issued offers of one offer the oldest stays.
    mutating func merge(_ first: Int, _ second: Int, at now: Instant) {
        let (kept, gone) = (owner(first), owner(second))
        owners = owners.map { $0 == gone ? kept : $0 }
        noteRedeemed()
        for offer in Self.allowed.keys {
            guard let oldest = open(kept, offer, at: now) else { continue }
            for place in issues.indices
            where place != oldest && owner(issues[place].customer) == kept && issues[place].offer == offer
                && !issues[place].wasRedeemed && now < issues[place].countsUntil
            {
                issues[place].isVoided = true
            }
        }
    }
}
