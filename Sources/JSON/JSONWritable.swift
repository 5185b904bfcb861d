/// A value that writes its own JSON.
public protocol JSONWritable {
    /// - Throws: ``JSONWriter/NotFinite``.
    func write(to json: inout JSONWriter) throws
}

/// A value that JSON can always hold.
public protocol JSONScalar: JSONWritable {
    func write(to json: inout JSONWriter)
}

extension JSONWriter {
    public mutating func member(_ name: StaticString, _ value: some JSONScalar) {
        self.name(name)
        value.write(to: &self)
    }

    /// Writes a member, if there is a value.
    public mutating func member(_ name: StaticString, _ value: (some JSONScalar)?) {
        if let value { member(name, value) }
    }

    public mutating func member(_ name: StaticString, _ values: [String]) {
        self.name(name)
        array(values) { $0.text($1) }
    }

    /// Writes a member whose value another writer has finished.
    public mutating func member(_ name: StaticString, object: [UInt8]) {
        self.name(name)
        append(object)
    }

    public mutating func member(_ name: StaticString, _ value: some JSONWritable) throws {
        self.name(name)
        try value.write(to: &self)
    }
}

extension String: JSONScalar {
    public func write(to json: inout JSONWriter) { json.text(self) }
}

extension Int: JSONScalar {
    public func write(to json: inout JSONWriter) { json.integer(Int64(self)) }
}

extension Int64: JSONScalar {
    public func write(to json: inout JSONWriter) { json.integer(self) }
}

extension Bool: JSONScalar {
    public func write(to json: inout JSONWriter) { json.boolean(self) }
}

extension JSONWritable where Self: RawRepresentable<String> {
    public func write(to json: inout JSONWriter) { json.text(rawValue) }
}

extension Array: JSONWritable where Element: JSONWritable {
    public func write(to json: inout JSONWriter) throws {
        try json.array(self) { try $1.write(to: &$0) }
    }
}

extension Dictionary: JSONWritable where Key == String, Value: JSONWritable {
    /// Writes an object, its members in the order of their names' bytes, as Foundation's encoder does: `String`'s own
    /// order is that of another normal form.
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
