public import OfferModel

// Members stand in the order of their names, as Foundation's encoder sorts them.

extension OfferCounters: JSONWritable {
    /// Writes the counters.
    public func write(to json: inout JSONWriter) throws {
        try json.object { json in
            try json.member("asOf", asOf)
            try json.member("endings", endings)
            try json.member("open", open)
            try json.member("places", places)
            try json.member("spent", spent)
            try json.member("unmatched", unmatched)
        }
    }
}

extension OfferCounters.OpenPlace: JSONWritable {
    /// Writes the place.
    public func write(to json: inout JSONWriter) throws {
        try json.object { json in
            try json.member("cost", cost)
            try json.member("countsUntil", countsUntil)
            try json.member("currency", currency)
            try json.member("id", id)
        }
    }
}

extension OfferCounters.Ending: JSONWritable {
    /// Writes the ending.
    public func write(to json: inout JSONWriter) throws {
        try json.object { json in
            try json.member("amount", amount)
            try json.member("at", at)
            try json.member("unit", unit.name)
        }
    }
}
