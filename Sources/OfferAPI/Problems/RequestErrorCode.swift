/// What can be wrong with one place of a request: the closed list behind `errors[].code` of `invalid-request`.
public enum RequestErrorCode: String, Sendable, Hashable, CaseIterable, Codable {
    /// The body is not JSON in UTF-8, or nests too deeply.
    case malformedJson
    /// The request has no such member.
    case unknownMember
    /// The member is given twice.
    case duplicateMember
    /// A member that must be there is absent or null.
    case missingMember
    /// The value has another JSON type.
    case wrongType
    /// The value has the right type and is not one that is accepted.
    case invalidValue
    /// The text, or a member's name, is empty or longer than allowed.
    case invalidLength
    /// The list has more entries than allowed; without a place: the request has more errors than are shown.
    case tooMany
    /// The call has no such query parameter.
    case unknownParameter
    /// The query parameter is given twice.
    case duplicateParameter
    /// The header does not have the form it must have.
    case invalidHeader
}
