import Foundation
import OfferEligibility
import OfferModel

/// One case: what is asked, what is known, and what must come out.
struct EligibilityCase: Sendable, CustomStringConvertible {
    let file: String
    let name: String
    let question: Question
    let facts: SubjectFacts
    let expected: Expectation

    var description: String { "\(file): \(name)" }

    /// Every case of every file, in the order of the files.
    static func all() throws -> [EligibilityCase] {
        try loaded.get()
    }

    /// Read once, because every rule is turned around over all of them.
    private static let loaded = Result { try load() }

    private static func load() throws -> [EligibilityCase] {
        guard let folder = Bundle.module.url(forResource: "Fixtures", withExtension: nil) else {
            throw CaseProblem("Fixtures", "not found")
        }
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
            .flatMap { try cases(Data(contentsOf: $0), file: $0.deletingPathExtension().lastPathComponent) }
    }

    /// The cases of one file: `offers` by id and `histories` by name, which `cases` refer to.
    static func cases(_ data: Data, file: String) throws -> [EligibilityCase] {
        let root = Member(path: file, value: try JSONDecoder().decode(JSON.self, from: data))
        return try root.object { object in
            var offers: [String: Offer] = [:]
            try object["offers"]?.object {
                for (id, member) in $0.each() { offers[id] = try CaseOffer.offer(member, id: id) }
            }
            var histories: [String: Member] = [:]
            try object["histories"]?.object {
                for (name, member) in $0.each() { histories[name] = member }
            }
            return try object.required("cases").list().map { member in
                try member.object { try read($0, file: file, offers: offers, histories: histories) }
            }
        }
    }

    private static func read(
        _ object: Members, file: String, offers: [String: Offer], histories: [String: Member]
    ) throws -> EligibilityCase {
        let asOf = try object.required("asOf").instant()
        var historyMember = object["history"] ?? Member(path: object.path, value: .object([:]))
        if case .text(let name) = historyMember.value {
            guard let named = histories[name] else { throw CaseProblem(historyMember.path, "no history `\(name)`") }
            historyMember = named
        }
        let named = try object["offer"]?.text()
        guard let offer = named.map({ offers[$0] }) ?? offers.first?.value ?? anyOffer else {
            throw CaseProblem(object.path, "no offer `\(named ?? "")`")
        }
        let product = ProductId(try object["productId"]?.text() ?? offer.products.first?.rawValue ?? "")
        let signals = try values(object["signals"])
        let question = Question(
            now: asOf,
            scope: Scope(
                bundleId: "com.example.pro",
                environment: try object["environment"]?.oneOf(AppStoreEnvironment.self) ?? .production),
            offer: offer, productId: product,
            subscriptionGroupIdentifier: product == "com.example.basic.monthly" ? "21500002" : "21500001",
            pause: try object["pause"]?.oneOf(Pause.self) ?? .none, signals: signals,
            needsNewSigning: try object["needsNewSigning"]?.boolean() ?? true,
            takesHistoryAsProven: try object["takesHistoryAsProven"]?.boolean() ?? false,
            groupProducts: Set(try object["groupProducts"]?.list().map { ProductId(try $0.text()) } ?? []),
            request: try object["request"]?.object { request in
                DeviceRequest(
                    appVersion: try request["appVersion"]?.text(), osVersion: try request["osVersion"]?.text(),
                    locale: try request["locale"]?.text())
            } ?? DeviceRequest(),
            offers: offers.values.sorted { $0.id < $1.id })
        let facts = SubjectFacts(
            history: try CaseHistory(asOf: asOf).history(historyMember),
            slots: try object["issuedOffers"]?.list().map { try slot($0, offers: offers, default: offer) } ?? [],
            attributes: try values(object["attributes"]), firstStoredAt: try object["firstStoredAt"]?.instant(),
            rolloutKey: try object["rolloutKey"]?.text(),
            openedAt: try object["openedAt"].map { [offer.id: try $0.instant()] } ?? [:])
        // A case about the present sees what Apple charged early; one about an earlier instant does not.
        let isPresent = try object["isPresent"]?.boolean() ?? false
        return EligibilityCase(
            file: file, name: try object.required("name").text(), question: question,
            facts: isPresent ? facts : facts.known(asOf: asOf),
            expected: try Expectation(try object.required("expect")))
    }

    private static func values(_ member: Member?) throws -> [String: FactValue] {
        var values: [String: FactValue] = [:]
        try member?.object {
            for (name, member) in $0.each() { values[name] = try member.factValue() }
        }
        return values
    }

    /// For cases that are about a state only.
    private static let anyOffer: Offer? = Offer(
        id: "any", type: .promotional, delivery: .signature, offerIdentifier: "any",
        products: ["com.example.pro.monthly"], paymentMode: .freeTrial, period: Period(months: 1), periodCount: 1,
        limits: [])

    private static func slot(_ member: Member, offers: [String: Offer], default first: Offer) throws -> Slot {
        try member.object { object in
            let named = try object["offerId"]?.text()
            guard let offer = named.map({ offers[$0] }) ?? first,
                let id = LowercaseUUID(try object.required("id").text())
            else { throw CaseProblem(member.path, "no such offer, or the id is not a UUID") }
            let issued = try object.required("issuedAt").instant()
            let expires = try object["expiresAt"]?.instant() ?? issued.adding(milliseconds: 24 * 3_600_000)
            return Slot(
                id: id, offerId: offer.id, offerIdentifier: offer.offerIdentifier, offerType: offer.type,
                delivery: offer.delivery, productId: "com.example.pro.monthly",
                subscriptionGroupIdentifier: "21500001", tags: offer.tags, issuedAt: issued, expiresAt: expires,
                countsUntil: try object["countsUntil"]?.instant() ?? expires.adding(milliseconds: 3_600_000),
                signings: try object["signings"]?.whole() ?? 1, voidedAt: try object["voidedAt"]?.instant(),
                isReleased: try object["released"]?.boolean() ?? false)
        }
    }
}
