#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Explanation {
    /// The languages that ``customerAnswer(in:)`` speaks, English first.
    package static var languages: [String] {
        CustomerSentences.table.languages.sorted { ($0 == "en" ? 0 : 1, $0) < ($1 == "en" ? 0 : 1, $1) }
    }

    /// The text for the customer: one or two sentences without other offers, limits, counts or shares, and
    /// without what would help get around a rule. At most ``CustomerSentences/longest`` characters.
    ///
    /// - Parameter locale: the customer's language, such as `pt-BR`; English if absent, unreadable or not in the table.
    public func customerAnswer(in locale: String?) -> String {
        let language = CustomerSentences.table.language(of: locale)
        func say(_ key: String, _ values: [(name: String, text: String)] = []) -> String? {
            CustomerSentences.table.form(key, in: language)?.filled(with: values)
        }
        let date = outlook.changesAt.flatMap { instant in
            // An offer ends before the minute named and begins in it or after.
            let minute = outcome == .eligible ? instant : instant.adding(milliseconds: Instant.Duration.minute - 1)
            return minute.partsToTheMinute.flatMap { say("date", $0) }
        }
        guard let decisive else {
            return (date.map { say("eligibleUntil", [("date", $0)]) } ?? say("eligible")) ?? ""
        }
        // Turning renewal back on helps at once; waiting for the end of access would cost the customer the subscription.
        if isCancelledAndActive, [.activeInGroup, .introductoryOfferUsed].contains(decisive.reason),
            let answer = say("cancelledAndActive")
        {
            return answer
        }
        let sentence = decisive.sentenceKeys.lazy.compactMap { say($0) }.first ?? ""
        guard let date, let answer = say("availableFrom", [("sentence", sentence), ("date", date)]) else {
            return sentence
        }
        let isShort = answer.utf8.count <= CustomerSentences.longest || answer.count <= CustomerSentences.longest
        return isShort ? answer : sentence
    }
}

/// The texts for customers, in every language: the table `CustomerSentences.json`.
///
/// Each row names what it is `for`: reasons, or a reason with the state of the subscription or the rule that it was
/// found for, which goes before the reason alone. It says that in every language of the table; `pt` is Brazilian
/// Portuguese.
struct CustomerSentences: Sendable {
    static let longest = 160
    static let table = CustomerSentences(json: PackageResources.CustomerSentences_json)

    struct Row: Decodable {
        let `for`: [String]
        let say: [String: String]
    }

    /// The sentences by their keys, then by language.
    let sentences: [String: [String: SentenceForm]]
    /// The languages, those that name more first: `pt-PT` would go before `pt`.
    let languages: [String]

    init(json: [UInt8]) {
        let rows = (try? JSONDecoder().decode([Row].self, from: Data(json))) ?? []
        let pairs = rows.flatMap { row in row.for.map { ($0, row.say.mapValues(SentenceForm.init)) } }
        sentences = Dictionary(pairs) { first, _ in first }
        languages = Set(rows.flatMap(\.say.keys)).sorted { ($1.count, $0) < ($0.count, $1) }
    }

    func language(of locale: String?) -> String {
        guard let tag = locale.flatMap({ LocaleTag($0) }) else { return "en" }
        return languages.first { LocaleTag($0).map(tag.begins) ?? false } ?? "en"
    }

    func form(_ key: String, in language: String) -> SentenceForm? {
        sentences[key].flatMap { $0[language] ?? $0["en"] }
    }
}

extension Finding {
    /// The keys of a row, the most specific first.
    fileprivate var sentenceKeys: [String] {
        let state = evidence.first { $0.field == "subscription.state" }?.observed
        var keys = ["\(reason.rawValue).\(rule.rawValue)", reason.rawValue]
        if case .value(.text(let state)) = state { keys.insert("\(reason.rawValue).\(state)", at: 0) }
        return keys
    }
}

/// A sentence with places for values, such as `{year}-{month}-{day} {hour}:{minute} UTC`. Every answer to a client
/// fills one or two, so it is split into its parts once.
struct SentenceForm: Sendable {
    /// Each text with the name of the value that follows it.
    private let parts: [(text: String, name: String)]

    init(_ form: String) {
        parts = form.split(separator: "}", omittingEmptySubsequences: false).map { part in
            let halves = part.split(separator: "{", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (halves[0], halves.count > 1 ? halves[1] : "")
        }
    }

    /// Every name of a value in it.
    var names: [String] { parts.dropLast().map(\.name) }

    func filled(with values: [(name: String, text: String)]) -> String {
        guard parts.count > 1 else { return parts[0].text }
        var text = ""
        for part in parts {
            text += part.text
            if let value = values.first(where: { $0.name == part.name }) { text += value.text }
        }
        return text
    }
}
