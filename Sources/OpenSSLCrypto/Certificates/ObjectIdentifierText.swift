import COpenSSL

/// Object identifiers in dotted form.
enum ObjectIdentifierText {
    /// Basic constraints, RFC 5280 §4.2.1.9.
    static let basicConstraints = "2.5.29.19"
    /// Key usage, RFC 5280 §4.2.1.3.
    static let keyUsage = "2.5.29.15"

    /// The dotted form; `nil` if it does not fit 128 characters.
    static func read(_ object: OpaquePointer?) -> String? {
        var text = [CChar](repeating: 0, count: 128)
        let length = Int(unsafe OBJ_obj2txt(&text, Int32(text.count), object, 1))
        guard length > 0, length < text.count else { return nil }
        return String(decoding: text.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
