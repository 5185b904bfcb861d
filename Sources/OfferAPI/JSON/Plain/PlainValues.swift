import OfferModel

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
