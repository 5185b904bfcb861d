public import JSON

extension Instant: JSONScalar {
    /// Writes milliseconds.
    public func write(to json: inout JSONWriter) { json.integer(milliseconds) }
}

extension LowercaseUUID: JSONScalar {
    public func write(to json: inout JSONWriter) { json.text(description) }
}

extension Identifier: JSONScalar {}
extension Provenance: JSONScalar {}
extension SignatureFormat: JSONScalar {}

extension FactValue: JSONWritable {
    /// Writes what ``encode(to:)`` does.
    public func write(to json: inout JSONWriter) throws {
        switch self {
        case .text(let text): json.text(text)
        case .number(let number): try json.number(number)
        case .boolean(let flag): json.boolean(flag)
        case .money(let money):
            json.object { json in
                json.member("amount", money.amount)
                json.member("currency", money.currency)
            }
        case .instant(let instant):
            json.object { json in json.member("at", instant) }
        }
    }
}

extension DeviceRequest: JSONWritable {
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("appVersion", appVersion)
            json.member("locale", locale)
            json.member("osVersion", osVersion)
            json.member("placement", placement)
        }
    }
}
