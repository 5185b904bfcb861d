import OfferAPI
import OfferApplication
import OfferModel

/// Collects everything wrong with the values of a JSON request, so that one answer names it all.
struct RequestChecks {
    private var errors: [ProblemErrorBody] = []

    /// A text that may be absent. Its pointer is built only for a fault: that takes longer than the check.
    mutating func text(
        _ text: String?, at pointer: @autoclosure () -> JSONPointer, maximum: Int = RequestRules.identifierLength
    ) {
        guard let text, let fault = RequestRules.fault(inText: text, maximum: maximum) else { return }
        add(pointer(), fault.code, fault.detail)
    }

    /// The customer of a request: at least one identifier.
    mutating func customer(_ customer: CustomerReference) {
        if customer.isEmpty {
            add(
                .customer, .missingMember, "the customer has no identifier",
                hint: "give `originalTransactionId`, `appTransactionId`, `appAccountToken` or `customerId`")
        }
        text(customer.originalTransactionId?.rawValue, at: .customer.appending("originalTransactionId"))
        text(customer.appTransactionId?.rawValue, at: .customer.appending("appTransactionId"))
        text(customer.customerId?.rawValue, at: .customer.appending("customerId"))
    }

    /// What the backend says about the customer.
    mutating func signals(_ signals: [String: FactValue]?) {
        guard let signals else { return }
        facts(signals, at: .root.appending("signals"), called: "signal", maximum: RequestRules.signalCount)
    }

    /// What the app sets for the customer.
    mutating func attributes(_ attributes: [String: FactValue]) {
        facts(attributes, at: .root.appending("attributes"), called: "attribute", maximum: RequestRules.attributeCount)
    }

    /// Values by name; of too many only the number is named.
    private mutating func facts(
        _ facts: [String: FactValue], at pointer: JSONPointer, called noun: String, maximum: Int
    ) {
        if facts.count > maximum {
            return add(pointer, .tooMany, "at most \(maximum) \(noun)s, these are \(facts.count)")
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

    /// The encodings wanted: not empty, none twice.
    mutating func formats(_ formats: [SignatureFormat]?) {
        guard let formats else { return }
        if formats.isEmpty {
            add(.formats, .invalidLength, "the list is empty", hint: "leave it out for the offer's first format")
        }
        if formats.count > 1, Set(formats).count < formats.count {
            add(.formats, .invalidValue, "a format is listed twice")
        }
    }

    /// The offers of an inquiry: not empty, none twice; of too many only the number is named.
    mutating func offers(_ offers: [OfferId]?) {
        guard let offers else { return }
        if offers.isEmpty { add(.offers, .invalidLength, "the list is empty", hint: "leave it out for every offer") }
        if offers.count > RequestRules.offerCount {
            return add(.offers, .tooMany, "at most \(RequestRules.offerCount) offers, these are \(offers.count)")
        }
        if offers.count > 1, Set(offers).count < offers.count {
            add(.offers, .invalidValue, "an offer is listed twice")
        }
        for (place, offer) in offers.enumerated() { text(offer.rawValue, at: .offers.appending(place)) }
    }

    /// The device that asks.
    mutating func device(_ device: RequestFactsBody?) {
        guard let device else { return }
        text(device.appVersion, at: .device.appending("appVersion"))
        text(device.osVersion, at: .device.appending("osVersion"))
        text(device.locale, at: .device.appending("locale"))
    }

    /// The signed data: not more than one request may bring.
    mutating func delivery(_ delivery: SignedDelivery) {
        guard delivery.count > SignedDelivery.maximumCount else { return }
        add(
            .root, .tooMany, "at most \(SignedDelivery.maximumCount) JWS a request, these are \(delivery.count)",
            hint: "send the rest in further requests")
    }

    /// Adds one error.
    mutating func add(_ pointer: JSONPointer, _ code: RequestErrorCode, _ detail: String, hint: String? = nil) {
        errors.append(
            ProblemErrorBody(pointer: pointer.description, code: code.rawValue, detail: detail, hint: hint))
    }

    /// Ends the checks.
    ///
    /// - Throws: ``RequestFault`` with everything that is wrong.
    func finish() throws(RequestFault) {
        guard errors.isEmpty else { throw RequestFault(errors: errors) }
    }
}

extension JSONPointer {
    fileprivate static let customer = JSONPointer.root.appending("customer")
    fileprivate static let formats = JSONPointer.root.appending("formats")
    fileprivate static let offers = JSONPointer.root.appending("offerIds")
    fileprivate static let device = JSONPointer.root.appending("request")
}
