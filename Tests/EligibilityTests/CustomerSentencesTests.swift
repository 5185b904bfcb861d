import Foundation
import Testing

@testable import OfferModel

@Suite("texts for customers")
struct CustomerSentencesTests {
    private static let table = CustomerSentences.table
    private static let languages = ["de", "en", "es", "fr", "ja", "pt"]
    private static let moment = Instant(milliseconds: 1_796_634_000_001)

    private static func refusal(
        _ reason: ReasonCode, rule: RuleId = .catalogStatus, _ verdict: Verdict = .violated, state: String? = nil
    ) -> Decision {
        let evidence = state.map { [Evidence(field: "subscription.state", observed: .text($0))] } ?? []
        return Decision(findings: [
            Finding(rule: rule, verdict: verdict, reason: reason, message: "", evidence: evidence)
        ])
    }

    private static func answer(_ decision: Decision, in locale: String?, from instant: Instant? = nil) -> String {
        Explanation(decision, outlook: Outlook(changesAt: instant, events: [], isFinal: false))
            .customerAnswer(in: locale)
    }

    @Test("every reason that can keep an offer back has a sentence of its row in six languages")
    func complete() {
        let never: Set<ReasonCode> = [.holds, .notApplicable, .heldOpen]
        let reasons = ReasonCode.allCases.filter { !never.contains($0) }.map(\.rawValue)
        for key in reasons + ["date", "availableFrom", "eligible", "eligibleUntil"] {
            #expect(Self.table.sentences[key]?.keys.sorted() == Self.languages, "\(key)")
        }
        for (key, row) in Self.table.sentences {
            #expect(
                row.keys.sorted() == Self.languages && !row.values.contains { $0.filled(with: []).isEmpty }, "\(key)")
            let (reason, rest) =
                key.firstIndex(of: ".").map { (String(key[..<$0]), String(key[$0...].dropFirst())) } ?? (key, "")
            let isKnown =
                ReasonCode(rawValue: reason) != nil
                || ["date", "availableFrom", "eligible", "eligibleUntil", "cancelledAndActive"].contains(key)
            #expect(isKnown, "\(key)")
            #expect(
                rest.isEmpty || RuleId(rawValue: rest) != nil || SubscriptionStateName(rawValue: rest) != nil, "\(key)")
        }
    }

    @Test("a row has the same placeholders in every language, and no other sentence has any")
    func placeholders() {
        for (key, row) in Self.table.sentences {
            let found = Set(row.values.map { Set($0.names) })
            let expected: Set<String> =
                switch key {
                case "date": ["year", "month", "day", "hour", "minute"]
                case "availableFrom": ["sentence", "date"]
                case "eligibleUntil": ["date"]
                default: []
                }
            #expect(found == [expected], "\(key)")
        }
    }

    @Test("no answer in any language, with a date or without, is longer than 160 characters", arguments: languages)
    func length(_ language: String) {
        for instant in [nil, Self.moment] {
            #expect(Self.answer(Decision(findings: []), in: language, from: instant).count <= 160)
            for reason in ReasonCode.allCases {
                for rule in RuleId.allCases {
                    for state in [nil] + SubscriptionStateName.allCases.map(\.rawValue) {
                        let answer = Self.answer(
                            Self.refusal(reason, rule: rule, state: state), in: language, from: instant)
                        #expect(answer.count <= 160 && !answer.contains("{"), "\(reason) \(language): \(answer)")
                    }
                }
            }
        }
    }

    @Test(
        "the sentence fits the reason",
        arguments: [
            (
                refusal(.notLapsed, rule: .winBackLapsed, state: "revoked"),
                "This offer is not available for a subscription that was refunded or revoked."
            ),
            (
                refusal(.notLapsed, rule: .winBackLapsed, state: "subscribed"),
                "This offer is for customers whose subscription has ended."
            ),
            (refusal(.limitReached, rule: .limitCustomer), "You have already received this offer or a similar one."),
            (
                refusal(.limitReached, rule: .limitCustomerWindow),
                "You have recently received this offer or a similar one."
            ),
            (
                refusal(.limitReached, rule: .limitAccount),
                "Your account in this app has already received this offer."
            ),
            (refusal(.limitReached, rule: .limitTotal), "This offer is not available right now."),
            (refusal(.heldOut, rule: .rolloutHoldout), "This offer is not available to you."),
            (
                refusal(.historyIncomplete, .undetermined),
                "We need up-to-date details of your purchases. Please open the app, restore your purchases there, and try again."
            ),
        ])
    func fits(_ decision: Decision, _ expected: String) {
        #expect(Self.answer(decision, in: nil) == expected)
    }

    @Test(
        "who cancelled and still has access is told to turn renewal back on, and nothing of a date",
        arguments: languages)
    func cancelled(_ language: String) {
        var active = Finding(
            rule: .introductoryNotSubscribed, verdict: .violated, reason: .activeInGroup, message: "",
            evidence: [Evidence(field: "subscription.willAutoRenew", observed: .boolean(false))])
        let used = Finding(
            rule: .introductoryUnusedInGroup, verdict: .violated, reason: .introductoryOfferUsed, message: "",
            evidence: [])
        let expected = Self.table.form("cancelledAndActive", in: language)?.filled(with: [])
        for findings in [[active], [used, active]] {
            #expect(Self.answer(Decision(findings: findings), in: language, from: Self.moment) == expected)
        }
        active.evidence = []
        #expect(Self.answer(Decision(findings: [active]), in: language) != expected)
        #expect(expected.map { $0.count <= 160 } == true)
    }

    @Test(
        "the language is that of the locale, English for any that the table does not have",
        arguments: [
            ("de", "de"), ("de-CH", "de"), ("DE_at", "de"), ("fr-CA", "fr"), ("es-419", "es"), ("ja_JP", "ja"),
            ("pt-BR", "pt"), ("pt", "pt"), ("en-GB", "en"), ("zh-Hant-TW", "en"), ("den", "en"), ("", "en"),
            ("nonsense!", "en"), ("de_CH@currency=EUR", "de"),
        ])
    func language(_ locale: String, _ language: String) {
        #expect(Self.table.language(of: locale) == language)
    }

    @Test("without a locale the language is English")
    func noLocale() {
        #expect(Self.table.language(of: nil) == "en")
    }

    @Test("a language that names more goes before one that names less")
    func particular() {
        let json = #"[{"for":["eligible"],"say":{"pt":"a","pt-PT":"b","en":"c"}}]"#
        let table = CustomerSentences(json: Array(json.utf8))
        #expect(table.language(of: "pt-PT") == "pt-PT")
        #expect(table.language(of: "pt-BR") == "pt")
    }

    @Test(
        "a date is written as the language writes it, in UTC",
        arguments: [
            ("en", "This offer has not started yet. As things stand, you can get it from 2026-12-07 09:01 UTC."),
            ("de", "Dieses Angebot hat noch nicht begonnen. Voraussichtlich verfügbar ab 07.12.2026, 09:01 Uhr (UTC)."),
            (
                "fr",
                "Cette offre n’a pas encore commencé. Disponible, sauf changement, à partir du 07/12/2026 à 09h01 (UTC)."
            ),
            (
                "es",
                "Esta oferta todavía no ha comenzado. Disponible, salvo cambios, a partir del 07/12/2026 a las 09:01 (UTC)."
            ),
            ("ja", "このオファーはまだ開始されていません。現時点では、2026年12月07日 09:01（UTC）からご利用いただける見込みです。"),
            (
                "pt-BR",
                "Esta oferta ainda não começou. Disponível, salvo mudanças, a partir de 07/12/2026 às 09h01 (UTC)."
            ),
        ])
    func dates(_ locale: String, _ expected: String) {
        #expect(
            Self.answer(Self.refusal(.notStarted, rule: .catalogSchedule), in: locale, from: Self.moment) == expected)
    }

    @Test("a date outside the calendar is left out")
    func noDate() {
        #expect(
            Self.answer(Self.refusal(.notStarted, rule: .catalogSchedule), in: "en", from: .distantFuture)
                == "This offer has not started yet.")
    }
}
