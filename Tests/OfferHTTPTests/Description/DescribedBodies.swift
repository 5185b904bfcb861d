import OfferAPI
import OfferModel
import Testing

/// Every body of a request or an answer, and all within them, beside the schemas of `openapi.yaml`.
struct DescribedBodies {
    /// The bodies, by the schema that describes each.
    static let all: [(schema: String, type: any WireObject.Type)] = [
        ("VoidRequest", VoidRequestBody.self), ("PauseRequest", PauseRequestBody.self), ("Pause", PauseState.self),
        ("OfferPage", PageBody<OfferSummary>.self),
        ("FunnelReport", FunnelReport.self), ("OfferSeries", OfferSeries.self), ("EventPage", PageBody<EventBody>.self),
        ("EventResend", EventResendBody.self), ("WebhookTestRequest", WebhookTestRequestBody.self),
        ("WebhookTest", WebhookTestReport.self), ("CatalogRevisionPage", PageBody<AppliedRevision>.self),
        ("ReplayRequest", ReplayRequestBody.self), ("Replay", DecisionReplay.self),
        ("AttributesRequest", AttributesRequestBody.self), ("Attributes", AttributesBody.self),
        ("IssueRequest", IssueRequest.self), ("IssuedOfferPage", PageBody<IssuedOfferView>.self),
        ("ExportedOfferPage", PageBody<ExportedOffer>.self), ("DecisionRequest", Inquiry.self),
        ("Decisions", DecisionsBody.self), ("RecordedDecision", RecordedDecisionBody.self),
        ("UnmatchedRefusals", PageBody<UnmatchedRefusal>.self),
        ("TransactionsRequest", TransactionsRequestBody.self), ("Transactions", IngestReport.self),
        ("StatusRequest", StatusRequestBody.self), ("Statuses", StatusBody.self),
        ("NotificationRequest", NotificationRequestBody.self), ("Notification", NotificationBody.self),
        ("UnlinkRequest", UnlinkRequestBody.self), ("Unlink", UnlinkBody.self),
        ("ResetRequest", ResetRequestBody.self), ("Reset", ResetBody.self),
        ("SignatureCheckRequest", PassedSignature.self), ("SignatureCheck", SignatureDiagnosis.self),
        ("RefreshRequest", RefreshRequestBody.self), ("Refresh", RefreshReport.self),
        ("Customers", CustomerDetails.self), ("CatalogApplied", CatalogApplied.self), ("Health", HealthBody.self),
        ("GrantRequest", GrantRequestBody.self), ("GrantPage", PageBody<GrantView>.self),
        ("SimulationRequest", SimulationRequest.self), ("SimulationStarted", SimulationStarted.self),
        ("Simulation", SimulationBody.self), ("CustomerSearchRequest", CustomerSearchRequest.self),
        ("CustomerSearchPage", CustomerSearchPage.self), ("Problem", ProblemBody.self),
    ]

    /// Members that a schema describes more narrowly than their type does.
    private static func narrowed(_ type: any WireObject.Type) -> Set<String> {
        switch type {
        // Those of older servers have fewer.
        case is OfferSummary.Type: ["excludes", "limits", "tags", "terms", "used"]
        case is DecisionBody.Type: ["offerType", "paymentMode", "period", "periodCount"]
        // Each is one type for several schemas.
        case is CustomerIdentifiers.Type: Set(members(type).map(\.name.description))
        case is KnownIdentifiers.Type: ["identifiers", "status"]
        case is TurningPointBody.Type: ["at", "event"]
        default: []
        }
    }

    private let document: OpenAPIDocument
    /// What differs, each with its place.
    private(set) var differences: [String] = []
    /// The components that were compared.
    private(set) var schemas: Set<String> = []
    /// The types that were compared, with the members that some schema describes.
    private(set) var types: [ObjectIdentifier: (type: any WireObject.Type, described: Set<String>)] = [:]
    private var compared: Set<String> = []

    init(_ document: OpenAPIDocument) throws {
        self.document = document
        for (schema, type) in Self.all {
            try compare(.object(type), ["$ref": "#/components/schemas/\(schema)"], at: schema)
        }
        for (type, described) in types.values {
            for member in Self.members(type) where !described.contains(member.name.description) {
                differences.append("\(type): no schema describes `\(member.name)`")
            }
        }
    }

    static func members(_ type: any WireObject.Type) -> [MemberList.Member] {
        func members<Object: WireObject>(_ type: Object.Type) -> [MemberList.Member] { MemberList(type).members }
        return members(type)
    }

    private mutating func compare(_ form: WireForm, _ node: [String: Any], at place: String) throws {
        var node = node
        if case .schema(let name) = form {
            let isThere = node["$ref"] as? String == "#/components/schemas/\(name)"
            if !isThere { differences.append("\(place): not a `\(name)`") }
            return
        }
        if let reference = node["$ref"] as? String {
            schemas.insert(reference.replacing("#/components/schemas/", with: ""))
            node = try document.resolved(node)
        }
        let type = ((node["type"] as? [String]) ?? [node["type"] as? String].compactMap(\.self)).first { $0 != "null" }
        func expect(_ word: String) {
            if type != word { differences.append("\(place): \(type ?? "no type"), not \(word)") }
        }
        switch form {
        case .text where node["anyOf"] != nil: return
        case .text: expect("string")
        case .integer: expect("integer")
        case .number: expect("number")
        case .boolean: expect("boolean")
        case .anything: expect("object")
        case .word(let word):
            expect("string")
            let words = Self.words(word)
            let described = node["enum"] as? [String] ?? []
            if Set(described) != Set(words) { differences.append("\(place): \(described), not \(words)") }
        case .list(let element):
            expect("array")
            try compare(element.form, node["items"] as? [String: Any] ?? [:], at: place + "[]")
        case .map(let value):
            expect("object")
            try compare(value.form, node["additionalProperties"] as? [String: Any] ?? [:], at: place + ".*")
        case .object(let object): try compare(object, node, at: place)
        case .schema: break
        }
    }

    private static func words(_ type: any WireWord.Type) -> [String] {
        func words<Word: WireWord>(_ type: Word.Type) -> [String] { type.allCases.map(\.rawValue) }
        return words(type)
    }

    private mutating func compare(_ type: any WireObject.Type, _ node: [String: Any], at place: String) throws {
        // A finding holds findings.
        guard compared.insert("\(type) \(node["properties"] ?? node)").inserted else { return }
        let shape = try Shape(node, in: document)
        schemas.formUnion(shape.schemas)
        let isRequest = type is any WireRequest.Type
        let (members, narrowed) = (Self.members(type), Self.narrowed(type))
        types[ObjectIdentifier(type), default: (type, [])].described.formUnion(shape.properties.keys)
        for name in shape.properties.keys where !members.contains(where: { $0.name.description == name }) {
            differences.append("\(place): the code has no `\(name)`")
        }
        for member in members {
            let name = member.name.description
            guard let property = shape.properties[name] else {
                if isRequest { differences.append("\(place): `\(name)` is not described") }
                continue
            }
            let (value, isNullable) = try Self.withoutNull(property, in: document)
            if !narrowed.contains(name) {
                if member.isRequired != shape.required.contains(name) {
                    let side = member.isRequired ? "code" : "schema"
                    differences.append("\(place).\(name): required only by the \(side)")
                }
                let mayBeNull = isRequest && !member.isRequired
                if isNullable != mayBeNull {
                    let side = mayBeNull ? "code" : "schema"
                    differences.append("\(place).\(name): may be null only by the \(side)")
                }
            }
            try compare(member.form, value, at: "\(place).\(name)")
        }
    }

    /// The schema of a value that is not null, and whether it may be.
    private static func withoutNull(
        _ node: [String: Any], in document: OpenAPIDocument
    ) throws -> ([String: Any], Bool) {
        for word in ["oneOf", "anyOf"] {
            let choices = try document.resolved(node)[word] as? [[String: Any]] ?? []
            let others = choices.filter { $0["type"] as? String != "null" }
            if others.count == 1, choices.count == 2 { return (others[0], true) }
        }
        return (node, (try document.resolved(node)["type"] as? [String])?.contains("null") == true)
    }
}

/// The members of an object as its schema describes them.
private struct Shape {
    var properties: [String: [String: Any]] = [:]
    var required: Set<String> = []
    /// The components that it is made of.
    var schemas: Set<String> = []

    init(_ node: [String: Any], in document: OpenAPIDocument) throws {
        properties = node["properties"] as? [String: [String: Any]] ?? [:]
        required = Set(node["required"] as? [String] ?? [])
        for part in (node["allOf"] ?? node["oneOf"]) as? [[String: Any]] ?? [] {
            if let reference = part["$ref"] as? String {
                schemas.insert(reference.replacing("#/components/schemas/", with: ""))
            }
            let other = try Shape(try document.resolved(part), in: document)
            properties.merge(other.properties) { own, _ in own }
            required.formUnion(other.required)
            schemas.formUnion(other.schemas)
        }
    }
}
