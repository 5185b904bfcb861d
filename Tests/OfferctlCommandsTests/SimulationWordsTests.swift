import OfferAPI
import OfferWords
import Testing

@Suite("What a simulation says in words")
struct SimulationWordsTests {
    private func result(_ fill: (inout SimulationResult) -> Void) -> SimulationResult {
        var result = SimulationResult()
        (result.customers, result.eligible) = (.exactly(1_200), .exactly(80))
        fill(&result)
        return result
    }

    @Test("of few customers it says that they are too few, and of more how many would get the offer")
    func headline() {
        func headline(_ customers: AudienceCount, _ eligible: AudienceCount) -> String {
            let result = result { ($0.customers, $0.eligible) = (customers, eligible) }
            return String(
                SimulationWords.headline(result, of: "drop").prefix { $0 != "," || customers == .exactly(1_200) })
        }
        #expect(headline(.fewerThan(10), .fewerThan(10)) == "too few customers to tell how many would get `drop`")
        #expect(headline(.exactly(60), .fewerThan(10)) == "fewer than 10 of 60 customers would get `drop`")
        #expect(headline(.exactly(1_200), .exactly(80)).hasPrefix("80 of 1,200 customers would get `drop`, as of "))
    }

    @Test("it names the condition, the catalog and the one compared with")
    func basis() {
        let plain = result { $0.catalogRevision = 3 }
        #expect(SimulationWords.basis(plain) == "all customers, by the catalog in force then, revision 3")
        let hidden = result { ($0.undeterminedWhere, $0.catalogRevision) = (.exactly(0), 3) }
        #expect(
            SimulationWords.basis(hidden)
                == "customers who meet a condition that another API key gave, by the catalog in force then, revision 3")
        let typed = result { ($0.where, $0.comparedRevision) = ("customer.storefront is USA", 3) }
        #expect(
            SimulationWords.basis(typed)
                == "customers who meet `customer.storefront is USA`, by a text that was not applied, compared with revision 3"
        )
    }

    @Test("the row of the rollout and the holdout is there where they keep someone back, or few")
    func outcomes() {
        let name = "of those only by rollout or holdout"
        for (held, words) in [(AudienceCount.exactly(5), "5"), (.fewerThan(10), "fewer than 10"), (.exactly(0), nil)] {
            let rows = SimulationWords.outcomes(result { $0.heldBack = held })
            #expect(rows.first { $0[0] == name }.flatMap { $0[1] } == words, "\(held)")
            #expect(rows.count == (words == nil ? 3 : 4))
        }
    }
}
