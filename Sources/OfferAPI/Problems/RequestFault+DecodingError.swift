extension RequestFault {
    /// Says in this API's words what a decoder met; the decoder's own text names Swift types and is not passed on.
    init(_ error: DecodingError) {
        switch error {
        case .typeMismatch(let type, let context):
            self.init(JSONPointer(context.codingPath), .wrongType, "this must be \(Self.word(for: type))")
        case .valueNotFound(_, let context) where context.codingPath.isEmpty:
            self.init(.root, .wrongType, "this must be an object")
        case .valueNotFound(_, let context):
            self.init(JSONPointer(context.codingPath), .missingMember, "this must not be null")
        case .keyNotFound(let key, let context):
            self.init(
                JSONPointer(context.codingPath + [key]), .missingMember, "the member `\(key.stringValue)` is missing")
        case .dataCorrupted(let context):
            self.init(
                JSONPointer(context.codingPath), .invalidValue,
                Self.ownWords(context.debugDescription) ?? "this value is not accepted here")
        @unknown default:
            self.init(.root, .invalidValue, "the body cannot be read")
        }
    }

    /// The text of an error that our own types threw, "`x` is not …", with a long `x` shortened.
    private static func ownWords(_ text: String) -> String? {
        let scalars = text.unicodeScalars
        guard scalars.first == "`", let end = scalars.lastIndex(of: "`"), end > scalars.startIndex else { return nil }
        return "`" + text[scalars.index(after: scalars.startIndex)..<end].shortened + text[end...]
    }

    private static func word(for type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a text"
        case is Bool.Type: "true or false"
        case is any BinaryInteger.Type: "a whole number"
        case is any BinaryFloatingPoint.Type: "a number"
        case is any Collection.Type where String(describing: type).hasPrefix("Array"): "a list"
        default: "an object"
        }
    }
}
