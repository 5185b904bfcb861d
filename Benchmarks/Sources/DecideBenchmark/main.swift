import OfferEligibility
import OfferModel

// usage: DecideBenchmark ROUNDS
//
// Decides twenty offers over two hundred transactions, so often. Prints the median and the fastest round in
// microseconds, and how many were eligible, so that no compiler can leave the work out. `Scripts/bench decide` counts
// instructions as the difference between two numbers of rounds under callgrind.

let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 200
let facts = LongHistory.facts()
let questions = TwentyOffers.questions()
if rounds == 0 {
    for question in questions { print(decide(question, facts: facts)) }
    let subject = PreparedSubject(facts)
    for question in questions where decide(question, facts: facts) != decide(question, about: subject) { print("DIFFERS") }
} else {
let clock = ContinuousClock()
var eligible = 0
var times = [Duration]()
for _ in 0..<rounds {
    times.append(
        clock.measure {
            let subject = PreparedSubject(facts)
            for question in questions where decide(question, about: subject).outcome == .eligible { eligible += 1 }
        })
}
times.sort()

func microseconds(_ duration: Duration) -> String {
    let tenths = duration.components.attoseconds / 100_000_000_000 + duration.components.seconds * 10_000_000
    return "\(tenths / 10).\(tenths % 10)"
}

print(
    "transactions \(facts.history.transactions.count), offers \(questions.count), rounds \(rounds),",
    "median \(microseconds(times[rounds / 2])) µs, fastest \(microseconds(times[0])) µs,",
    "eligible \(eligible / rounds) a round")
}
