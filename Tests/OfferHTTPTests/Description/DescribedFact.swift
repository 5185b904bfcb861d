import OfferModel

/// A fact as `openapi.yaml` tells of it, under `x-facts` of the schema `FactName`.
struct DescribedFact {
    let definition: FactDefinition

    /// The entry as it has to stand in `openapi.yaml`.
    var yaml: String {
        var lines = ["        \(definition.name):", "          type: \(definition.type.rawValue)"]
        if let values = definition.values {
            lines.append("          values:")
            lines += values.map { "            - \($0)" }
        }
        if let unit = definition.unit { lines.append("          unit: \(unit)") }
        if let minimum = definition.minimum { lines.append("          minimum: \(FactValue.number(minimum))") }
        lines.append("          meaning: \"\(definition.meaning)\"")
        lines.append("          unknownWhen: \"\(definition.unknownWhen)\"")
        return lines.map { $0 + "\n" }.joined()
    }
}
