import Testing

@testable import OfferModel

@Suite("three-valued logic")
struct KleeneTests {
    private static let values: [Verdict] = [.satisfied, .violated, .undetermined]

    @Test(
        "all, any and not of two verdicts follow Kleene's tables",
        arguments: [
            // left, right, all, any
            (Verdict.satisfied, Verdict.satisfied, Verdict.satisfied, Verdict.satisfied),
            (.satisfied, .violated, .violated, .satisfied),
            (.satisfied, .undetermined, .undetermined, .satisfied),
            (.violated, .satisfied, .violated, .satisfied),
            (.violated, .violated, .violated, .violated),
            (.violated, .undetermined, .violated, .undetermined),
            (.undetermined, .satisfied, .undetermined, .satisfied),
            (.undetermined, .violated, .violated, .undetermined),
            (.undetermined, .undetermined, .undetermined, .undetermined),
        ])
    func pairs(left: Verdict, right: Verdict, all: Verdict, any: Verdict) {
        #expect(Kleene.all([left, right]) == all)
        #expect(Kleene.any([left, right]) == any)
    }

    @Test("not turns what is decided and keeps what is not known")
    func negation() {
        #expect(Kleene.not(.satisfied) == .violated)
        #expect(Kleene.not(.violated) == .satisfied)
        #expect(Kleene.not(.undetermined) == .undetermined)
    }

    @Test("all of nothing holds and any of nothing does not")
    func empty() {
        #expect(Kleene.all([]) == .satisfied)
        #expect(Kleene.any([]) == .violated)
    }
}
