import JSON
import OfferModel

/// Reads JSON requests of the plainest form: known members, each once and none null, texts without escapes, whole
/// numbers.
///
/// Backends write nearly every request so, and it is read in one pass where ``JSONForm`` and a decoder take several. It
/// accepts nothing that they would refuse and says nothing about what is wrong: they read everything else again, and
/// name the place.
struct FastPathReader {
    private var cursor: JSONCursor
    /// How many members and elements may follow.
    private var values: Int

    /// The value that the bytes hold; `nil` if they are not of the plain form.
    static func read<Value: FastPathReadable>(_ type: Value.Type, from bytes: [UInt8], values: Int = .max) -> Value? {
        var json = FastPathReader(cursor: JSONCursor(bytes), values: values)
        guard let value = try? Value(fastPath: &json), json.cursor.isAtEnd else { return nil }
        return value
    }

    /// The name of the next member, with its value ahead; `nil` at the end of the object.
    ///
    /// - Parameter isFirst: whether the object is yet to be opened.
    mutating func member<Key: RawRepresentable<String>>(
        of type: Key.Type, isFirst: inout Bool
    ) throws(FallBack) -> Key? {
        guard let name = try name(isFirst: &isFirst) else { return nil }
        guard let key = Key(rawValue: name) else { throw FallBack() }
        return key
    }

    /// The same where any name is allowed.
    mutating func name(isFirst: inout Bool) throws(FallBack) -> String? {
        guard try isAhead(opening: UInt8(ascii: "{"), closing: UInt8(ascii: "}"), isFirst: &isFirst) else { return nil }
        let name = try string()
        guard name.utf8.count <= JSONForm.Limits.longestName else { throw FallBack() }
        try expect(UInt8(ascii: ":"))
        return name
    }

    /// Whether another element of an array is ahead.
    mutating func element(isFirst: inout Bool) throws(FallBack) -> Bool {
        try isAhead(opening: UInt8(ascii: "["), closing: UInt8(ascii: "]"), isFirst: &isFirst)
    }

    /// Reads the value of a member that was not given before.
    mutating func read<Value: FastPathReadable>(into member: inout Value?) throws(FallBack) {
        guard member == nil else { throw FallBack() }
        member = try Value(fastPath: &self)
    }

    mutating func string() throws(FallBack) -> String {
        guard let place = cursor.plainText(), let text = String(validating: cursor.bytes[place], as: UTF8.self) else {
            throw FallBack()
        }
        return text
    }

    /// A whole number of few digits, which a 64-bit float holds exactly too.
    mutating func number() throws(FallBack) -> Int64 {
        cursor.skipSpace()
        guard let number = cursor.digits(atMost: 15) else { throw FallBack() }
        return number
    }

    mutating func boolean() throws(FallBack) -> Bool {
        cursor.skipSpace()
        if cursor.take("true") { return true }
        guard cursor.take("false") else { throw FallBack() }
        return false
    }

    /// The first byte of the next value.
    mutating func next() -> UInt8? { cursor.next() }

    private mutating func isAhead(opening: UInt8, closing: UInt8, isFirst: inout Bool) throws(FallBack) -> Bool {
        if isFirst { try expect(opening) }
        if cursor.take(closing) { return false }
        if !isFirst { try expect(UInt8(ascii: ",")) }
        isFirst = false
        values -= 1
        guard values > 0 else { throw FallBack() }
        return true
    }

    private mutating func expect(_ byte: UInt8) throws(FallBack) {
        guard cursor.take(byte) else { throw FallBack() }
    }
}

/// The text is not of the plain form: the strict reader reads it, or says what is wrong.
struct FallBack: Error {}

/// A value of a request that ``FastPathReader`` reads.
protocol FastPathReadable {
    init(fastPath json: inout FastPathReader) throws(FallBack)
}

extension String: FastPathReadable {
    init(fastPath json: inout FastPathReader) throws(FallBack) { self = try json.string() }
}

extension Bool: FastPathReadable {
    init(fastPath json: inout FastPathReader) throws(FallBack) { self = try json.boolean() }
}

extension Identifier: FastPathReadable {
    init(fastPath json: inout FastPathReader) throws(FallBack) { self.init(try json.string()) }
}

extension LowercaseUUID: FastPathReadable {
    init(fastPath json: inout FastPathReader) throws(FallBack) {
        guard let uuid = LowercaseUUID(try json.string()) else { throw FallBack() }
        self = uuid
    }
}

extension SignatureFormat: FastPathReadable {
    init(fastPath json: inout FastPathReader) throws(FallBack) {
        guard let format = SignatureFormat(rawValue: try json.string()) else { throw FallBack() }
        self = format
    }
}

extension Array: FastPathReadable where Element: FastPathReadable {
    init(fastPath json: inout FastPathReader) throws(FallBack) {
        self.init()
        var isFirst = true
        while try json.element(isFirst: &isFirst) { append(try Element(fastPath: &json)) }
    }
}

extension FactValue: FastPathReadable {
    init(fastPath json: inout FastPathReader) throws(FallBack) {
        switch json.next() {
        case UInt8(ascii: "\""): self = .text(try json.string())
        case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .boolean(try json.boolean())
        default: self = .number(Double(try json.number()))
        }
    }
}

extension [String: FactValue]: FastPathReadable {
    init(fastPath json: inout FastPathReader) throws(FallBack) {
        self.init()
        var isFirst = true
        while let name = try json.name(isFirst: &isFirst) {
            guard updateValue(try FactValue(fastPath: &json), forKey: name) == nil else { throw FallBack() }
        }
    }
}

// The members of each request as its `init(from:)` reads them; those that suppose something, and history, are left to
// it.

extension IssueRequest: FastPathReadable {
    init(fastPath json: inout FastPathReader) throws(FallBack) {
        var (offerId, customer): (OfferId?, CustomerIdentifiers?) = (nil, nil)
        var (fresh, signals, device): (Bool?, [String: FactValue]?, DeviceRequest?) = (nil, nil, nil)
        var delivery = DeliveryMembers()
        self.init(offerId: "", customer: CustomerIdentifiers())
        var isFirst = true
        while let key = try json.member(of: CodingKeys.self, isFirst: &isFirst) {
            switch key {
            case .offerId: try json.read(into: &offerId)
            case .productId: try json.read(into: &productId)
            case .customer: try json.read(into: &customer)
            case .formats: try json.read(into: &formats)
            case .fresh: try json.read(into: &fresh)
            case .signals: try json.read(into: &signals)
            case .signedTransactions: try json.read(into: &delivery.transactions)
            case .signedRenewalInfo: try json.read(into: &delivery.renewalInfo)
            case .signedAppTransaction: try json.read(into: &delivery.appTransaction)
            case .historyComplete: try json.read(into: &delivery.isComplete)
            case .request: try json.read(into: &device)
            }
        }
        guard let offerId else { throw FallBack() }
        self.offerId = offerId
        self.customer = customer ?? CustomerIdentifiers()
        self.fresh = fresh ?? false
        self.signals = signals ?? [:]
        self.device = device ?? DeviceRequest()
        self.delivery = delivery.delivery
    }
}

extension Inquiry: FastPathReadable {
    init(fastPath json: inout FastPathReader) throws(FallBack) {
        var (signals, device, isFresh): ([String: FactValue]?, DeviceRequest?, Bool?) = (nil, nil, nil)
        var delivery = DeliveryMembers()
        self.init()
        var isFirst = true
        while let key = try json.member(of: CodingKeys.self, isFirst: &isFirst) {
            switch key {
            case .customer: try json.read(into: &customer)
            case .offerIds: try json.read(into: &offerIds)
            case .productId: try json.read(into: &productId)
            case .signals: try json.read(into: &signals)
            case .signedTransactions: try json.read(into: &delivery.transactions)
            case .signedRenewalInfo: try json.read(into: &delivery.renewalInfo)
            case .signedAppTransaction: try json.read(into: &delivery.appTransaction)
            case .request: try json.read(into: &device)
            case .fresh: try json.read(into: &isFresh)
            case .asOf, .history, .catalog, .catalogRevision: throw FallBack()
            }
        }
        fresh = isFresh ?? false
        self.signals = signals ?? [:]
        self.delivery = delivery.delivery
        request = device ?? DeviceRequest()
    }
}

extension StatusRequestBody: FastPathReadable {
    init(fastPath json: inout FastPathReader) throws(FallBack) {
        var customers: [CustomerIdentifiers]?
        var delivery = DeliveryMembers()
        var isFirst = true
        while let key = try json.member(of: CodingKeys.self, isFirst: &isFirst) {
            switch key {
            case .customers: try json.read(into: &customers)
            case .signedTransactions: try json.read(into: &delivery.transactions)
            case .signedRenewalInfo: try json.read(into: &delivery.renewalInfo)
            case .signedAppTransaction: try json.read(into: &delivery.appTransaction)
            }
        }
        self.customers = customers
        self.delivery = delivery.delivery
    }
}

extension TransactionsRequestBody: FastPathReadable {
    init(fastPath json: inout FastPathReader) throws(FallBack) {
        var delivery = DeliveryMembers()
        var customer: CustomerAliases?
        var isFirst = true
        while let key = try json.member(of: CodingKeys.self, isFirst: &isFirst) {
            switch key {
            case .signedTransactions: try json.read(into: &delivery.transactions)
            case .signedRenewalInfo: try json.read(into: &delivery.renewalInfo)
            case .signedAppTransaction: try json.read(into: &delivery.appTransaction)
            case .historyComplete: try json.read(into: &delivery.isComplete)
            case .customer: try json.read(into: &customer)
            }
        }
        guard delivery.transactions != nil else { throw FallBack() }
        self.init(delivery.delivery, customer: customer)
    }
}

extension NotificationRequestBody: FastPathReadable {
    init(fastPath json: inout FastPathReader) throws(FallBack) {
        var signedPayload: String?
        var isFirst = true
        while let key = try json.member(of: CodingKeys.self, isFirst: &isFirst) {
            switch key {
            case .signedPayload: try json.read(into: &signedPayload)
            }
        }
        guard let signedPayload else { throw FallBack() }
        self.signedPayload = signedPayload
    }
}

/// The members of a ``SignedDelivery`` that were given so far.
private struct DeliveryMembers {
    var transactions: [String]?
    var renewalInfo: [String]?
    var appTransaction: String?
    var isComplete: Bool?

    var delivery: SignedDelivery {
        SignedDelivery(
            signedTransactions: transactions ?? [], signedRenewalInfo: renewalInfo ?? [],
            signedAppTransaction: appTransaction, historyComplete: isComplete ?? false)
    }
}

extension CustomerIdentifiers: FastPathReadable {
    init(fastPath json: inout FastPathReader) throws(FallBack) {
        self.init()
        var isFirst = true
        while let key = try json.member(of: CodingKeys.self, isFirst: &isFirst) {
            switch key {
            case .originalTransactionId: try json.read(into: &originalTransactionId)
            case .appTransactionId: try json.read(into: &appTransactionId)
            case .appAccountToken: try json.read(into: &appAccountToken)
            case .customerId: try json.read(into: &customerId)
            }
        }
    }
}

extension CustomerAliases: FastPathReadable {
    init(fastPath json: inout FastPathReader) throws(FallBack) {
        self.init()
        var isFirst = true
        while let key = try json.member(of: CodingKeys.self, isFirst: &isFirst) {
            switch key {
            case .appAccountToken: try json.read(into: &appAccountToken)
            case .customerId: try json.read(into: &customerId)
            }
        }
    }
}

extension DeviceRequest: FastPathReadable {
    init(fastPath json: inout FastPathReader) throws(FallBack) {
        self.init()
        var isFirst = true
        while let key = try json.member(of: DeviceMember.self, isFirst: &isFirst) {
            switch key {
            case .appVersion: try json.read(into: &appVersion)
            case .osVersion: try json.read(into: &osVersion)
            case .locale: try json.read(into: &locale)
            case .placement: try json.read(into: &placement)
            }
        }
    }
}
