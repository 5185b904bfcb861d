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
            return minute.filled(into: say("date") ?? "")
        }
        guard let decisive else {
            guard let date else { return say("eligible") ?? "" }
            return (say("eligibleUntil") ?? "").replacing("{date}", with: date)
        }
        let sentence = decisive.sentenceKeys.lazy.compactMap(say).first ?? ""
        guard let date, let dated = say("availableFrom") else { return sentence }
        let answer = dated.replacing("{sentence}", with: sentence).replacing("{date}", with: date)
        return answer.count <= CustomerSentences.longest ? answer : sentence
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
    /// A form such as `{year}-{month}-{day} {hour}:{minute} UTC` with the parts of the instant in UTC.
    fileprivate func filled(into form: String) -> String {
        let parts = description.split { !$0.isNumber }
        return zip(["year", "month", "day", "hour", "minute"], parts).reduce(form) { form, part in
            form.replacing("{\(part.0)}", with: part.1)
        }
    }
}
