import FoundationEssentials
import OfferModel

extension Explanation {
    /// What may be said to the customer: one or two sentences without other offers, limits, counts or shares, and
    /// without what would help get around a rule. At most ``CustomerSentences/longest`` characters.
    ///
    /// - Parameter locale: the customer's language, such as `pt-BR`; English if absent, unreadable or not in the table.
    public func customerAnswer(in locale: String?) -> String {
        let language = CustomerSentences.table.language(of: locale)
        func say(_ key: String) -> String? { CustomerSentences.table.sentence(key, in: language) }
        let date = outlook.changesAt.map { instant in
            // An offer ends before the minute named and begins in it or after.
            let minute = outcome == .eligible ? instant : instant.adding(milliseconds: Instant.Duration.minute - 1)
            return filled(say("date") ?? "", with: minute.parts)
        }
        guard let decisive else {
            guard let date else { return say("eligible") ?? "" }
            return filled(say("eligibleUntil") ?? "", with: [("date", date)])
        }
        let sentence = decisive.sentenceKeys.lazy.compactMap(say).first ?? ""
        guard let date, let dated = say("availableFrom") else { return sentence }
        let answer = filled(dated, with: [("sentence", sentence), ("date", date)])
        let isShort = answer.utf8.count <= CustomerSentences.longest || answer.count <= CustomerSentences.longest
        return isShort ? answer : sentence
    }
}

/// What is said to customers, in every language: the table `CustomerSentences.json`.
///
/// Each row names what it is `for`: reasons, or a reason with the state of the subscription or the rule that it was found
/// for, which goes before the reason alone. It says that in every language of the table; `pt` is Brazilian Portuguese.
struct CustomerSentences: Sendable {
    static let longest = 160
    static let table = CustomerSentences(json: PackageResources.CustomerSentences_json)

    struct Row: Decodable {
        let `for`: [String]
        let say: [String: String]
    }

    /// The sentences by what they are for, then by language.
    let sentences: [String: [String: String]]
    /// The languages, those that name more first: `pt-PT` would go before `pt`.
    let languages: [String]

    init(json: [UInt8]) {
        let rows = (try? JSONDecoder().decode([Row].self, from: Data(json))) ?? []
        let pairs = rows.flatMap { row in row.for.map { ($0, row.say) } }
        sentences = Dictionary(pairs) { first, _ in first }
        languages = Set(rows.flatMap(\.say.keys)).sorted { ($1.count, $0) < ($0.count, $1) }
    }

    func language(of locale: String?) -> String {
        guard let tag = locale.flatMap({ LocaleTag($0) }) else { return "en" }
        return languages.first { LocaleTag($0).map(tag.begins) ?? false } ?? "en"
    }

    func sentence(_ key: String, in language: String) -> String? {
        sentences[key].flatMap { $0[language] ?? $0["en"] }
    }
}

extension Finding {
    /// What a row may be for, the most particular first.
    fileprivate var sentenceKeys: [String] {
        let state = evidence.first { $0.field == "subscription.state" }?.observed
        var keys = ["\(reason.rawValue).\(rule.rawValue)", reason.rawValue]
        if case .value(.text(let state)) = state { keys.insert("\(reason.rawValue).\(state)", at: 0) }
        return keys
    }
}

extension Instant {
    /// In UTC.
    fileprivate var parts: [(String, String)] {
        let numbers = description.utf8.split { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return Array(zip(["year", "month", "day", "hour", "minute"], numbers.lazy.map { String(Substring($0)) }))
    }
}

/// A form such as `{year}-{month}-{day} {hour}:{minute} UTC` with its values, each of them once in every answer to a client:
/// to search the form for each would cost as much as a decision.
private func filled(_ form: String, with values: [(String, String)]) -> String {
    var text = ""
    for part in form.utf8.split(separator: UInt8(ascii: "{"), omittingEmptySubsequences: false) {
        let part = Substring(part)
        guard let end = part.utf8.firstIndex(of: UInt8(ascii: "}")) else {
            text += part
            continue
        }
        let name = part[..<end]
        text += values.first { $0.0 == name }?.1 ?? ""
        text += part[part.utf8.index(after: end)...]
    }
    return text
}
