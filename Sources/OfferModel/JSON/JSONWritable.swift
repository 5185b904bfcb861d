/// A value that writes its own JSON, the same that its `Encodable` says, for where Foundation's encoder costs too much.
public protocol JSONWritable {
    /// Writes the value.
    ///
    /// - Throws: ``JSONWriter/NotFinite``.
    func write(to json: inout JSONWriter) throws
}

extension JSONWriter {
    /// Writes a member.
    public mutating func member(_ name: StaticString, _ value: some JSONWritable) throws {
        self.name(name)
        try value.write(to: &self)
    }

    /// Writes a member, if there is a value.
    public mutating func member(_ name: StaticString, _ value: (some JSONWritable)?) throws {
        if let value { try member(name, value) }
    }
}

extension String: JSONWritable {
    /// Writes a text.
    public func write(to json: inout JSONWriter) { json.text(self) }
}

extension Int: JSONWritable {
    /// Writes a whole number.
    public func write(to json: inout JSONWriter) { json.integer(Int64(self)) }
}

extension Int64: JSONWritable {
    /// Writes a whole number.
    public func write(to json: inout JSONWriter) { json.integer(self) }
}

extension Bool: JSONWritable {
    /// Writes yes or no.
    public func write(to json: inout JSONWriter) { json.boolean(self) }
}

extension Instant: JSONWritable {
    /// Writes milliseconds.
    public func write(to json: inout JSONWriter) { json.integer(milliseconds) }
}

extension LowercaseUUID: JSONWritable {
    /// Writes 36 lower-case characters.
    public func write(to json: inout JSONWriter) { json.text(description) }
}

extension JSONWritable where Self: RawRepresentable<String> {
    /// Writes the raw value.
    public func write(to json: inout JSONWriter) { json.text(rawValue) }
}

extension Identifier: JSONWritable {}
extension Provenance: JSONWritable {}
extension SignatureFormat: JSONWritable {}

extension Array: JSONWritable where Element: JSONWritable {
    /// Writes an array.
    public func write(to json: inout JSONWriter) throws {
        try json.array(self) { try $1.write(to: &$0) }
    }
}

extension Dictionary: JSONWritable where Key == String, Value: JSONWritable {
    /// Writes an object, its members in the order of their names' bytes, as Foundation's encoder does: `String`'s own order
    /// is that of another normal form.
    public func write(to json: inout JSONWriter) throws {
        try json.object { json in
            // To sort is to copy, and most dictionaries of a decision have one member or none.
            if count < 2 {
                for (name, value) in self {
                    json.name(name)
                    try value.write(to: &json)
                }
                return
            }
            for (name, value) in sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                json.name(name)
                try value.write(to: &json)
            }
        }
    }
}

extension FactValue: JSONWritable {
    /// Writes the form that `init(from:)` reads.
    public func write(to json: inout JSONWriter) throws {
        switch self {
        case .text(let text): json.text(text)
        case .number(let number): try json.number(number)
        case .boolean(let flag): json.boolean(flag)
        case .money(let money):
            json.object { json in
                json.name("amount")
                json.text(money.amount)
                json.name("currency")
                json.text(money.currency)
            }
        case .instant(let instant):
            json.object { json in
                json.name("at")
                json.integer(instant.milliseconds)
            }
        }
    }
}

extension DeviceRequest: JSONWritable {
    /// Writes what is said.
    public func write(to json: inout JSONWriter) throws {
        try json.object { json in
            try json.member("appVersion", appVersion)
            try json.member("locale", locale)
            try json.member("osVersion", osVersion)
        }
    }
}
