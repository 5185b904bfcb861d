import OfferAPI
import OfferApplication
package import OfferModel
import OfferSigning

/// The body of a request, with bounds that its members do not state themselves.
protocol CheckedRequest: WireRequest {
    /// Notes every value that is not accepted.
    func check(_ checks: inout RequestChecks, by role: Role)
}

extension CheckedRequest {
    /// - Throws: ``RequestFault`` with every value that is not accepted.
    func check(by role: Role) throws(RequestFault) {
        var checks = RequestChecks()
        check(&checks, by: role)
        guard checks.errors.isEmpty else { throw RequestFault(errors: checks.errors) }
    }
}

/// Collects every invalid value of a JSON request, so that one answer reports them all.
struct RequestChecks {
    fileprivate private(set) var errors: [ProblemErrorBody] = []

    /// A text that may be absent. Its pointer is built only for a fault: that takes longer than the check.
    mutating func text(
        _ text: String?, at pointer: @autoclosure () -> JSONPointer, maximum: Int = RequestRules.identifierLength
    ) {
        guard let text, let fault = RequestRules.fault(inText: text, maximum: maximum) else { return }
        add(pointer(), fault.code, fault.detail)
    }

    mutating func customer(
        _ customer: CustomerIdentifiers, at pointer: @autoclosure () -> JSONPointer = .customer
    ) {
        if customer.isEmpty {
            add(
                pointer(), .missingMember, "the customer has no identifier",
                hint: "give `originalTransactionId`, `appTransactionId`, `appAccountToken` or `customerId`")
        }
        text(customer.originalTransactionId?.rawValue, at: pointer().appending("originalTransactionId"))
        text(customer.appTransactionId?.rawValue, at: pointer().appending("appTransactionId"))
        text(customer.customerId?.rawValue, at: pointer().appending("customerId"))
    }

    /// The customer of a request with signed data, which may name them alone. An `app` key always needs such data, and
    /// is told so when it is read.
    mutating func customer(_ customer: CustomerIdentifiers, provenBy delivery: SignedDelivery, role: Role) {
        guard !customer.isEmpty || (delivery.count == 0 && role != .app) else { return }
        self.customer(customer)
    }

    /// The customers of a batch, unless signed data names the one: not empty; of too many only the number is named.
    mutating func customers(_ customers: [CustomerIdentifiers]?, provenBy delivery: SignedDelivery, role: Role) {
        let pointer = JSONPointer.root.appending("customers")
        guard let customers else {
            guard delivery.count == 0, role != .app else { return }
            return add(
                pointer, .missingMember, "the member `customers` is missing",
                hint: "name customers, or send signed data of one")
        }
        if customers.isEmpty { add(pointer, .invalidLength, "the list is empty", hint: "name at least one customer") }
        let most = role == .app ? SignedDelivery.maximumCountOfApps : RequestRules.customerCount
        if customers.count > most {
            return add(
                pointer, .tooMany,
                "at most \(most) customers, but \(customers.count) were sent",
                hint: "send the rest in further requests")
        }
        for (place, customer) in customers.enumerated() { self.customer(customer, at: pointer.appending(place)) }
    }

    mutating func signals(_ signals: [String: FactValue]) {
        facts(signals, at: .root.appending("signals"), called: "signal", maximum: RequestRules.signalCount)
    }

    mutating func attributes(_ attributes: [String: FactValue]) {
        facts(attributes, at: .root.appending("attributes"), called: "attribute", maximum: RequestRules.attributeCount)
    }

    private mutating func facts(
        _ facts: [String: FactValue], at pointer: JSONPointer, called noun: String, maximum: Int
    ) {
        if facts.count > maximum {
            return add(pointer, .tooMany, "at most \(maximum) \(noun)s, but \(facts.count) were sent")
        }
        for (name, value) in facts.sorted(by: { $0.key < $1.key }) {
            let member = pointer.appending(name)
            if !FactVocabulary.isSignalName(name) {
                add(
                    member, .invalidValue, "`\(String(name.unicodeScalars.prefix(100)))` cannot name a \(noun)",
                    hint: "letters, digits and `_`, a letter first, at most 64 characters")
            }
            switch value {
            case .text(let value): text(value, at: member)
            case .instant(let value): instant(value, at: member.appending("at"))
            case .number(let number) where !number.isFinite: add(member, .invalidValue, "the number is not finite")
            case .money(let money) where !Money.isCurrencyCode(money.currency):
                add(
                    member.appending("currency"), .invalidValue,
                    "`\(String(money.currency.unicodeScalars.prefix(100)))` is not a currency",
                    hint: "three capital letters, such as `USD`")
            default: break
            }
        }
    }

    mutating func formats(_ formats: [SignatureFormat]?) {
        guard let formats else { return }
        if formats.isEmpty {
            add(.formats, .invalidLength, "the list is empty", hint: "leave it out for the offer's first format")
        }
        if formats.count > 1, Set(formats).count < formats.count {
            add(.formats, .invalidValue, "a format is listed twice")
        }
    }

    mutating func offers(_ offers: [OfferId]?) {
        guard let offers else { return }
        if offers.isEmpty { add(.offers, .invalidLength, "the list is empty", hint: "leave it out for every offer") }
        if offers.count > RequestRules.offerCount {
            return add(.offers, .tooMany, "at most \(RequestRules.offerCount) offers, but \(offers.count) were sent")
        }
        if offers.count > 1, Set(offers).count < offers.count {
            add(.offers, .invalidValue, "an offer is listed twice")
        }
        for (place, offer) in offers.enumerated() { text(offer.rawValue, at: .offers.appending(place)) }
    }

    mutating func device(_ device: DeviceRequest) {
        text(device.appVersion, at: .device.appending("appVersion"))
        text(device.osVersion, at: .device.appending("osVersion"))
        text(device.locale, at: .device.appending("locale"))
        guard let placement = device.placement, !DeviceRequest.isPlacement(placement) else { return }
        add(
            .device.appending("placement"), .invalidValue,
            "`\(String(placement.unicodeScalars.prefix(100)))` cannot name a placement",
            hint: "letters, digits, `.`, `_` and `-`, a letter or digit first, at most 64 characters")
    }

    mutating func delivery(_ delivery: SignedDelivery, role: Role) {
        let most = role == .app ? SignedDelivery.maximumCountOfApps : SignedDelivery.maximumCount
        guard delivery.count > most else { return }
        add(
            .root, .tooMany, "at most \(most) JWS per request, but \(delivery.count) were sent",
            hint: "send the rest in further requests")
    }

    mutating func add(_ pointer: JSONPointer, _ code: RequestErrorCode, _ detail: String, hint: String? = nil) {
        errors.append(
            ProblemErrorBody(pointer: pointer.description, code: code.rawValue, detail: detail, hint: hint))
    }

    mutating func instant(_ instant: Instant?, at pointer: @autoclosure () -> JSONPointer) {
        guard let instant, !InputBounds.instants.contains(instant) else { return }
        add(
            pointer(), .invalidValue, "`\(instant.milliseconds)` is not a moment between 1970 and the year 9999",
            hint: "give milliseconds since 1970-01-01T00:00:00Z")
    }

    mutating func catalog(_ document: String?, _ revision: Int?) {
        guard document != nil, revision != nil else { return }
        add(
            .root.appending("catalogRevision"), .invalidValue, "`catalog` and `catalogRevision` exclude each other",
            hint: "send one of them")
    }

    /// A supplied history; its payloads are checked when they are read. Beyond the bound only the number is reported.
    mutating func history(_ history: SuppliedHistory?) {
        guard let history else { return }
        let pointer = JSONPointer.root.appending("history")
        let payloads = history.transactions.count + history.renewalInfos.count
        let most = RequestRules.suppliedCount
        if payloads > most {
            add(pointer, .tooMany, "at most \(most) transactions and renewal infos, but \(payloads) were sent")
        }
        let offers = history.issuedOffers ?? []
        guard offers.count <= most else {
            return add(
                pointer.appending("issuedOffers"), .tooMany,
                "at most \(most) issued offers, but \(offers.count) were sent")
        }
        for (place, offer) in offers.enumerated() {
            issuedOffer(offer, at: pointer.appending("issuedOffers").appending(place))
        }
    }

    private mutating func issuedOffer(_ offer: SuppliedOffer, at pointer: JSONPointer) {
        text(offer.offerId.rawValue, at: pointer.appending("offerId"))
        text(offer.productId?.rawValue, at: pointer.appending("productId"))
        for (name, moment) in [
            ("issuedAt", offer.issuedAt), ("expiresAt", offer.expiresAt), ("voidedAt", offer.voidedAt),
        ] {
            instant(moment, at: pointer.appending(name))
        }
        if let expiresAt = offer.expiresAt, expiresAt < offer.issuedAt {
            add(pointer.appending("expiresAt"), .invalidValue, "it ends before it was issued")
        }
        if let voidedAt = offer.voidedAt, voidedAt < offer.issuedAt {
            add(pointer.appending("voidedAt"), .invalidValue, "it was voided before it was issued")
        }
        if !RequestRules.signings.contains(offer.signings) {
            add(
                pointer.appending("signings"), .invalidValue,
                "an issued offer has \(RequestRules.signings.lowerBound) to \(RequestRules.signings.upperBound) signings"
            )
        }
        if offer.isReleased, offer.voidedAt == nil {
            add(
                pointer.appending("released"), .invalidValue, "only what is voided is released",
                hint: "give `voidedAt` too")
        }
    }
}

extension JSONPointer {
    static let customer = JSONPointer.root.appending("customer")
    fileprivate static let formats = JSONPointer.root.appending("formats")
    fileprivate static let offers = JSONPointer.root.appending("offerIds")
    fileprivate static let device = JSONPointer.root.appending("request")
}

/// Bounds of the values in a request.
enum RequestRules {
    static let identifierLength = 255
    /// The most characters of the id of an order; Apple's have ten.
    static let orderIdLength = 64
    static let signalCount = 64
    static let attributeCount = 64
    /// The most offers that one inquiry may name.
    static let offerCount = 200
    /// The most customers whose status one request may ask for.
    static let customerCount = 100
    /// The most characters of a message kept with a catalog revision.
    static let messageLength = 1_000
    /// The most characters of the reason for a pause.
    static let reasonLength = 500

    /// The most payloads, and the most issued offers, of a supplied history.
    static let suppliedCount = 200
    static let signings = 1...1_000

    /// The fault of a text: empty, too long, with control characters, or like an erased one.
    static func fault(inText text: String, maximum: Int) -> (code: RequestErrorCode, detail: String)? {
        guard !isPlain(text, maximum: maximum) else { return nil }
        let length = text.unicodeScalars.count
        guard (1...maximum).contains(length) else {
            return (.invalidLength, "a text of 1 to \(maximum) characters is needed, this one has \(length)")
        }
        guard !text.hasPrefix(Redacted.prefix) else {
            return (
                .invalidValue, "a text does not begin with `\(Redacted.prefix)`, which marks one that was removed"
            )
        }
        let isControl: (Unicode.Scalar) -> Bool = { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
        return text.unicodeScalars.contains(where: isControl)
            ? (.invalidValue, "control characters are not allowed") : nil
    }

    /// Whether a text is of printable ASCII, as identifiers nearly always are, and right: a look at its bytes says so.
    private static func isPlain(_ text: String, maximum: Int) -> Bool {
        (1...maximum).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            && !text.utf8.starts(with: Redacted.prefix.utf8)
    }
}

extension Inquiry: CheckedRequest {
    func check(_ checks: inout RequestChecks, by role: Role) {
        if customer != nil || history == nil {
            checks.customer(customer ?? CustomerIdentifiers(), provenBy: delivery, role: role)
        }
        checks.delivery(delivery, role: role)
        checks.offers(offerIds)
        checks.text(productId?.rawValue, at: .root.appending("productId"))
        checks.signals(signals)
        checks.device(request)
        checks.instant(asOf, at: .root.appending("asOf"))
        checks.history(history)
        checks.catalog(catalog, catalogRevision)
    }
}

extension IssueRequest: CheckedRequest {
    func check(_ checks: inout RequestChecks, by role: Role) {
        checks.text(offerId.rawValue, at: .root.appending("offerId"))
        checks.text(productId?.rawValue, at: .root.appending("productId"))
        checks.customer(customer, provenBy: delivery, role: role)
        checks.formats(formats)
        checks.signals(signals)
        checks.delivery(delivery, role: role)
        checks.device(device)
    }
}

extension StatusRequestBody: CheckedRequest {
    func check(_ checks: inout RequestChecks, by role: Role) {
        checks.customers(customers, provenBy: delivery, role: role)
        checks.delivery(delivery, role: role)
    }
}

extension TransactionsRequestBody: CheckedRequest {
    func check(_ checks: inout RequestChecks, by role: Role) {
        checks.text(customer?.customerId?.rawValue, at: .root.appending("customer").appending("customerId"))
        checks.delivery(delivery, role: role)
    }
}

extension PassedSignature: CheckedRequest {
    /// The same, for a page whose form it comes from.
    ///
    /// - Throws: ``RequestFault``.
    package func checked(for role: Role) throws -> PassedSignature {
        try check(by: role)
        return self
    }

    func check(_ checks: inout RequestChecks, by role: Role) {
        func pointer(_ key: Member) -> JSONPointer { .root.appending(key.rawValue) }
        checks.text(productId?.rawValue, at: pointer(.productId))
        checks.text(offerIdentifier?.rawValue, at: pointer(.offerIdentifier))
        checks.text(keyId?.rawValue, at: pointer(.keyId))
        // The app passes an empty one as it passes none.
        if appAccountToken != "" { checks.text(appAccountToken, at: pointer(.appAccountToken)) }
        checks.text(signature, at: pointer(.signature), maximum: SignatureJudge.longestText)
        checks.text(jws, at: pointer(.jws), maximum: SignatureJudge.longestText)
        if let nonce, LowercaseUUID(nonce) == nil {
            checks.add(
                pointer(.nonce), .invalidValue, "`\(String(nonce.unicodeScalars.prefix(100)))` is not a UUID",
                hint: "StoreKit takes the nonce as a UUID")
        }
        if let timestamp, !InputBounds.integers.contains(timestamp) || timestamp < 0 {
            checks.add(
                pointer(.timestamp), .invalidValue, "`\(timestamp)` is not a time since 1970",
                hint: "give the number that the app passed")
        }
        for key in membersOfOtherFormats {
            checks.add(
                pointer(key), .invalidValue, "the format `\(format.rawValue)` has no `\(key.rawValue)`",
                hint: format == .v1 ? "give `signature`" : "give `jws`: it has all other values in it")
        }
    }
}
