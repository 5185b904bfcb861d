/// One thing a client of the model test asks for.
struct ModelRequest: Sendable {
    enum Work: Sendable {
        case issue(ModelLedger.Ask, key: String?)
        case void(issuedOffer: String, release: Bool)
        case redeem(ModelLedger.Redemption)
        case dryRun(customer: Int)
    }

    /// The mark of its rows: the server keeps it as a signal, or as the reason of a void. Requests with equal
    /// numbers are the same request sent several times.
    var number: Int
    var work: Work
    /// A redemption whose signed data an order brings along.
    var brings: ModelLedger.Redemption?
    /// The server that is asked.
    var server: Int
    /// After so many milliseconds the client hangs up and asks again under the same key.
    var hangsUpAfter: Int64?
    /// Whether it is sent again if the server dies before it has answered.
    var insists = false
    /// Whether the client looks at once for what it was given, at any server.
    var looks = false

    var key: String? {
        if case .issue(_, let key) = work { key } else { nil }
    }

    /// The redemption that its signed data shows.
    var redemption: ModelLedger.Redemption? {
        if case .redeem(let redemption) = work { redemption } else { brings }
    }

    /// Whether sending it twice is asking once; of an order without a key the second is another.
    var mayBeSentAgain: Bool {
        if case .issue(_, nil) = work { false } else { true }
    }
}

extension ModelRequest: CustomStringConvertible {
    var description: String {
        let what =
            switch work {
            case .issue(let ask, let key):
                "issue \(ask.offer) to \(ask.customer)\(ask.isFresh ? ", fresh" : ""), "
                    + "\(ask.plan.formats.sorted().joined(separator: "+")) for \(ask.plan.reference)"
                    + (ask.plan.appAccountToken.map { " token \($0.suffix(4))" } ?? "")
                    + (key.map { ", key \($0)" } ?? "")
            case .void(let issuedOffer, let release): "void \(issuedOffer)\(release ? ", release" : "")"
            case .redeem(let redemption):
                "redeem \(redemption.offer) by \(redemption.customer) at \(redemption.at) as \(redemption.transactionId)"
            case .dryRun(let customer): "dry-run for \(customer)"
            }
        let data = brings.map { ", bringing a redemption of \($0.offer) at \($0.at)" } ?? ""
        return "#\(number) at server \(server): \(what)\(data)"
    }
}
