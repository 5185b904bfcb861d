import OfferModel

/// Reads JSON requests of the plainest form: known members, each once and none null, texts without escapes, whole numbers.
///
/// Backends write nearly every request so, and it is read in one pass where ``JSONForm`` and a decoder take several. It
/// accepts nothing that they would refuse and says nothing about what is wrong: whatever is not plain is read again by
/// them, and they name the place.
struct PlainJSON {
    private let bytes: [UInt8]
    private var index = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The value that the bytes hold; `nil` if they are not of the plain form.
    static func read<Value: PlainlyRead>(_ type: Value.Type, from bytes: [UInt8]) -> Value? {
        var json = PlainJSON(bytes)
        do {
            let value = try Value(plain: &json)
            json.skipSpace()
            return json.index == bytes.count ? value : nil
        } catch {
            return nil
        }
    }

    /// The name of the next member, with its value ahead; `nil` at the end of the object.
    ///
    /// - Parameter isFirst: whether the object is yet to be opened.
    mutating func member<Key: RawRepresentable<String>>(
        of type: Key.Type, isFirst: inout Bool
    ) throws(NotPlain) -> Key? {
        guard let name = try name(isFirst: &isFirst) else { return nil }
        guard let key = Key(rawValue: name) else { throw NotPlain() }
        return key
    }

    /// The same where any name may stand.
    mutating func name(isFirst: inout Bool) throws(NotPlain) -> String? {
        guard try isAhead(opening: "{", closing: "}", isFirst: &isFirst) else { return nil }
        let name = try string()
        guard name.utf8.count <= JSONLimits.request.nameLength else { throw NotPlain() }
        try expect(":")
        return name
    }

    /// Whether another element of an array is ahead.
    mutating func element(isFirst: inout Bool) throws(NotPlain) -> Bool {
        try isAhead(opening: "[", closing: "]", isFirst: &isFirst)
    }

    /// Reads the value of a member that was not given before.
    mutating func read<Value: PlainlyRead>(into member: inout Value?) throws(NotPlain) {
        guard member == nil else { throw NotPlain() }
        member = try Value(plain: &self)
    }

    /// A text without escapes.
    mutating func string() throws(NotPlain) -> String {
        try expect("\"")
        let start = index
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            guard bytes[index] != UInt8(ascii: "\\"), bytes[index] >= 0x20 else { throw NotPlain() }
            index += 1
        }
        guard index < bytes.count, let text = String(validating: bytes[start..<index], as: UTF8.self) else {
            throw NotPlain()
        }
        index += 1
        return text
    }

    /// A whole number of few digits, which a 64-bit float holds exactly too.
    mutating func number() throws(NotPlain) -> Int64 {
        skipSpace()
        let start = index
        var number: Int64 = 0
        while index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) {
            number = number * 10 + Int64(bytes[index] - UInt8(ascii: "0"))
            index += 1
            guard index - start <= 15 else { throw NotPlain() }
        }
        let digits = index - start
        guard digits > 0, digits == 1 || bytes[start] != UInt8(ascii: "0") else { throw NotPlain() }
        // A fraction or an exponent goes on, and the next byte is then none that may follow a value.
        return number
    }

    mutating func boolean() throws(NotPlain) -> Bool {
        skipSpace()
        if skip("true") { return true }
        if skip("false") { return false }
        throw NotPlain()
    }

    /// The first byte of the next value.
    mutating func next() throws(NotPlain) -> UInt8 {
        skipSpace()
        guard index < bytes.count else { throw NotPlain() }
        return bytes[index]
    }

    private mutating func isAhead(
        opening: Unicode.Scalar, closing: Unicode.Scalar, isFirst: inout Bool
    ) throws(NotPlain) -> Bool {
        if isFirst { try expect(opening) }
        if try next() == UInt8(ascii: closing) {
            index += 1
            return false
        }
        if !isFirst { try expect(",") }
        isFirst = false
        return true
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(NotPlain) {
        guard try next() == UInt8(ascii: character) else { throw NotPlain() }
        index += 1
    }

    private mutating func skip(_ word: StaticString) -> Bool {
        let length = word.utf8CodeUnitCount
        guard bytes.count - index >= length, bytes[index..<index + length].elementsEqual(word.description.utf8) else {
            return false
        }
        index += length
        return true
    }

    private mutating func skipSpace() {
        while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
    }
}

/// The text is not of the plain form; what that means the strict reader says.
struct NotPlain: Error {}

/// A value of a request that ``PlainJSON`` reads.
protocol PlainlyRead {
    init(plain json: inout PlainJSON) throws(NotPlain)
}

extension String: PlainlyRead {
    init(plain json: inout PlainJSON) throws(NotPlain) { self = try json.string() }
}

extension Bool: PlainlyRead {
    init(plain json: inout PlainJSON) throws(NotPlain) { self = try json.boolean() }
}

extension Identifier: PlainlyRead {
    init(plain json: inout PlainJSON) throws(NotPlain) { self.init(try json.string()) }
}

extension LowercaseUUID: PlainlyRead {
    init(plain json: inout PlainJSON) throws(NotPlain) {
        guard let uuid = LowercaseUUID(try json.string()) else { throw NotPlain() }
        self = uuid
    }
}

extension SignatureFormat: PlainlyRead {
    init(plain json: inout PlainJSON) throws(NotPlain) {
        guard let format = SignatureFormat(rawValue: try json.string()) else { throw NotPlain() }
        self = format
    }
}

extension Array: PlainlyRead where Element: PlainlyRead {
    init(plain json: inout PlainJSON) throws(NotPlain) {
        self.init()
        var isFirst = true
        while try json.element(isFirst: &isFirst) { append(try Element(plain: &json)) }
    }
}

extension FactValue: PlainlyRead {
    init(plain json: inout PlainJSON) throws(NotPlain) {
        switch try json.next() {
        case UInt8(ascii: "\""): self = .text(try json.string())
        case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .boolean(try json.boolean())
        default: self = .number(Double(try json.number()))
        }
    }
}

extension [String: FactValue]: PlainlyRead {
    init(plain json: inout PlainJSON) throws(NotPlain) {
        self.init()
        var isFirst = true
        while let name = try json.name(isFirst: &isFirst) {
            guard updateValue(try FactValue(plain: &json), forKey: name) == nil else { throw NotPlain() }
        }
    }
}

// The members of each request as its `init(from:)` reads them; those that suppose something, and history, are left to it.

extension IssueRequestBody: PlainlyRead {
    init(plain json: inout PlainJSON) throws(NotPlain) {
        var offerId: OfferId?
        var customer: CustomerReference?
        var rest = IssueRequestBody(offerId: "", customer: CustomerReference())
        var isFirst = true
        while let key = try json.member(of: CodingKeys.self, isFirst: &isFirst) {
            switch key {
            case .offerId: try json.read(into: &offerId)
            case .productId: try json.read(into: &rest.productId)
            case .customer: try json.read(into: &customer)
            case .formats: try json.read(into: &rest.formats)
            case .fresh: try json.read(into: &rest.fresh)
            case .signals: try json.read(into: &rest.signals)
            case .signedTransactions: try json.read(into: &rest.signedTransactions)
            case .signedRenewalInfo: try json.read(into: &rest.signedRenewalInfo)
            case .signedAppTransaction: try json.read(into: &rest.signedAppTransaction)
            case .historyComplete: try json.read(into: &rest.historyComplete)
            case .request: try json.read(into: &rest.request)
            }
        }
        guard let offerId, let customer else { throw NotPlain() }
        rest.offerId = offerId
        rest.customer = customer
        self = rest
    }
}

extension DecisionRequestBody: PlainlyRead {
    init(plain json: inout PlainJSON) throws(NotPlain) {
        self.init()
        var isFirst = true
        while let key = try json.member(of: CodingKeys.self, isFirst: &isFirst) {
            switch key {
            case .customer: try json.read(into: &customer)
            case .offerIds: try json.read(into: &offerIds)
            case .productId: try json.read(into: &productId)
            case .signals: try json.read(into: &signals)
            case .request: try json.read(into: &request)
            case .asOf, .history, .catalog, .catalogRevision: throw NotPlain()
            }
        }
    }
}

extension TransactionsRequestBody: PlainlyRead {
    init(plain json: inout PlainJSON) throws(NotPlain) {
        var transactions: [String]?
        var rest = TransactionsRequestBody(signedTransactions: [])
        var isFirst = true
        while let key = try json.member(of: CodingKeys.self, isFirst: &isFirst) {
            switch key {
            case .signedTransactions: try json.read(into: &transactions)
            case .signedRenewalInfo: try json.read(into: &rest.signedRenewalInfo)
            case .signedAppTransaction: try json.read(into: &rest.signedAppTransaction)
            case .historyComplete: try json.read(into: &rest.historyComplete)
            case .customer: try json.read(into: &rest.customer)
            }
        }
        guard let transactions else { throw NotPlain() }
        rest.signedTransactions = transactions
        self = rest
    }
}

extension CustomerReference: PlainlyRead {
    init(plain json: inout PlainJSON) throws(NotPlain) {
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

extension CustomerAliases: PlainlyRead {
    init(plain json: inout PlainJSON) throws(NotPlain) {
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

extension RequestFactsBody: PlainlyRead {
    init(plain json: inout PlainJSON) throws(NotPlain) {
        self.init()
        var isFirst = true
        while let key = try json.member(of: CodingKeys.self, isFirst: &isFirst) {
            switch key {
            case .appVersion: try json.read(into: &appVersion)
            case .osVersion: try json.read(into: &osVersion)
            case .locale: try json.read(into: &locale)
            }
        }
    }
}
