import OfferEligibility
import OfferModel

// usage: DecideBenchmark ROUNDS [alone|messages]
//
// Decides twenty offers over two hundred transactions, so often: the subject is prepared once a round, as a dry-run does,
// or, with `alone`, once for every offer, as issuing does. With `messages` every message of every finding is written too,
// as a decision record has them. Prints the median and the fastest round in microseconds, and how many were eligible, so
// that no compiler can leave the work out. `Scripts/bench` counts instructions as the difference between two numbers of
// rounds under callgrind.

let arguments = CommandLine.arguments.dropFirst()
let rounds = max(1, arguments.first.flatMap { Int($0) } ?? 200)
let isAlone = arguments.contains("alone")
let writesMessages = arguments.contains("messages")
let facts = LongHistory.facts()
let questions = TwentyOffers.questions()
let clock = ContinuousClock()
var eligible = 0
var findings = 0
var written = 0
var times = [Duration]()

@MainActor
func write(_ found: [Finding]) {
    for finding in found {
        findings += 1
        written += finding.message.utf8.count
        write(finding.children ?? [])
    }
}

for _ in 0..<rounds {
    times.append(
        clock.measure {
            let subject = PreparedSubject(facts)
            for question in questions {
                let decision = isAlone ? decide(question, facts: facts) : decide(question, about: subject)
                if decision.outcome == .eligible { eligible += 1 }
                if writesMessages { write(decision.findings) }
            }
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
    "eligible \(eligible / rounds) a round"
        + (writesMessages ? ", \(findings / rounds) messages of \(written / rounds) bytes" : ""))
