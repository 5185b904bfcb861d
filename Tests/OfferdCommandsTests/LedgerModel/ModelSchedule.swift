import OfferTestSupport

/// The plan of one round: the clients and their requests in turn, the server that dies, and the time.
struct ModelRound: Sendable {
    var clients: [[ModelRequest]]
    /// The server that is killed, and after how many answers.
    var death: (server: Int, afterAnswers: Int)?
    /// How far the clock goes on in the midst of it, in milliseconds, and after how many answers.
    var tick: (by: Int64, afterAnswers: Int)?
}

/// Draws rounds from a seed; what exists already is taken from the model, so that requests meet.
struct ModelSchedule {
    static let clients = 64

    private(set) var random: SeededGenerator
    private var nextNumber = 1
    private let servers: Int
    /// Orders that were sent under a key.
    private var keyed: [ModelRequest] = []
    /// The reason for the clock's setting: something that is about to end, or has just ended.
    private var edge: ModelEdge?

    init(seed: UInt64, servers: Int) {
        random = SeededGenerator(seed: seed)
        self.servers = servers
    }

    mutating func terms() -> [OfferTerms] { OfferTerms.four(&random) }

    /// One request each of 64 clients, of some two.
    mutating func round(_ state: ModelState, at now: Int64) -> ModelRound {
        let ledger = state.ledger
        var round = ModelRound(clients: [])
        if chance(35) { round.death = (random(servers), 1 + random(Self.clients)) }
        if chance(35) {
            // Less than a key lives, so that equal requests of a round still have one answer.
            let by = min(max(1, step(state, from: now)), 23 * ModelLedger.hour)
            round.tick = (by, 1 + random(Self.clients))
        }
        var shared: [ModelRequest] = []
        let busy = Int.random(in: 0..<ModelCustomers.count, using: &random)
        let clients = (0..<Self.clients).map { _ in
            (0..<Int.random(in: 1...2, using: &random)).map { _ in
                let request = request(ledger, at: now, busy: busy, shared)
                if request.key != nil { shared.append(request) }
                return request
            }
        }
        keyed += shared
        round.clients = clients
        return round
    }

    /// How far the clock moves before the next round: not at all, a little, or to just where something ends.
    mutating func step(_ state: ModelState, from now: Int64) -> Int64 {
        edge = nil
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return 0
        case 1: return 1
        case 2: return -Int64.random(in: 0...59_000, using: &random)
        case 3...4: return .random(in: 1...30 * ModelLedger.hour, using: &random)
        default:
            edge = state.edges.filter { $0.at > now }.randomElement(using: &random)
            guard let edge else { return .random(in: 1...2 * ModelLedger.hour, using: &random) }
            return max(0, edge.at + .random(in: -1...1, using: &random) - now)
        }
    }

    private mutating func request(
        _ ledger: ModelLedger, at now: Int64, busy: Int, _ shared: [ModelRequest]
    ) -> ModelRequest {
        if let edge, chance(20), let request = request(at: edge) { return request }
        let draw = Int.random(in: 0..<100, using: &random)
        if draw < 10, let known = (chance(60) ? shared : keyed).randomElement(using: &random) {
            return again(known)
        }
        let work: ModelRequest.Work? =
            switch draw {
            case 10..<22: void(ledger)
            case 22..<34: redemption(of: nil, ledger, at: now).map(ModelRequest.Work.redeem)
            case 34..<42: .dryRun(customer: customer(busy))
            default: nil
            }
        var request = ModelRequest(number: nextNumber, work: work ?? order(busy), server: random(servers))
        if case .issue(let ask, _) = request.work, chance(8) {
            request.brings = redemption(of: ask.customer, ledger, at: now)
        }
        nextNumber += 1
        request.insists = chance(70)
        request.looks = chance(20)
        if request.key != nil, chance(20) { request.hangsUpAfter = .random(in: 1...60, using: &random) }
        return request
    }

    /// An order that the edge is about.
    private mutating func request(at edge: ModelEdge) -> ModelRequest? {
        switch edge.kind {
        case .key(let key):
            guard var known = keyed.first(where: { $0.key == key }) else { return nil }
            known.server = random(servers)
            known.hangsUpAfter = nil
            return known
        case .order(let ask):
            nextNumber += 1
            return ModelRequest(number: nextNumber - 1, work: .issue(ask, key: nil), server: random(servers))
        }
    }

    /// The same request, or another under its key.
    private mutating func again(_ known: ModelRequest) -> ModelRequest {
        var request = known
        request.server = random(servers)
        request.hangsUpAfter = nil
        if case .issue(var ask, let key) = known.work, chance(15) {
            ask.isFresh.toggle()
            request.work = .issue(ask, key: key)
            request.number = nextNumber
            request.brings = nil
            nextNumber += 1
        }
        return request
    }

    private mutating func order(_ busy: Int) -> ModelRequest.Work {
        let customer = customer(busy)
        let offer = ["once", "windowed", "resting", "scarce"][random(4)]
        let formats: Set<String> = offer != "once" ? ["v2"] : [["v1"], ["v2"], ["v1", "v2"]][random(3)]
        let plan = ModelLedger.Plan(
            formats: formats, appAccountToken: chance(15) ? ModelCustomers.token(customer) : nil,
            reference: chance(10) ? ModelCustomers.account(customer) : ModelCustomers.original(customer))
        let ask = ModelLedger.Ask(customer: customer, offer: offer, plan: plan, isFresh: chance(30))
        return .issue(ask, key: chance(40) ? "key-\(nextNumber)" : nil)
    }

    private mutating func void(_ ledger: ModelLedger) -> ModelRequest.Work? {
        guard let issuedOffer = ledger.issuedOffers.suffix(40).randomElement(using: &random) else { return nil }
        return .void(issuedOffer: issuedOffer.id, release: chance(50))
    }

    /// A use of an issued offer or of one nobody issued, bought a while ago or at the very edge of an issued offer.
    private mutating func redemption(
        of one: Int?, _ ledger: ModelLedger, at now: Int64
    ) -> ModelLedger.Redemption? {
        let issuedOffers = ledger.issuedOffers.suffix(40).filter { issuedOffer in
            one.map { $0 == issuedOffer.customer } ?? true
        }
        let issuedOffer = chance(75) ? issuedOffers.randomElement(using: &random) : nil
        let customer = issuedOffer?.customer ?? one ?? random(ModelCustomers.count)
        let offer = issuedOffer?.offer ?? ["once", "windowed", "resting", "scarce"][random(4)]
        let edge = issuedOffer.map { $0.issuedAt + .random(in: -1...1, using: &random) }
        let recent = now - .random(in: 1...20 * 60_000, using: &random)
        let at = chance(40) ? edge ?? recent : recent
        guard at < now else { return nil }
        return ModelLedger.Redemption(
            transactionId: "\(7_500_000 + nextNumber)001", customer: customer, offer: offer, at: at,
            ends: at + 10 * 60_000)
    }

    /// A part of each round is about one customer.
    private mutating func customer(_ busy: Int) -> Int { chance(25) ? busy : random(ModelCustomers.count) }

    private mutating func random(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
}
