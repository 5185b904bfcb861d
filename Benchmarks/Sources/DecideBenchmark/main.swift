import OfferModel
import Rounds

// usage: DecideBenchmark ROUNDS [alone|messages|one|hundred|thousand|state|status]
//
// Decides twenty offers over two hundred transactions, so often: the subject is prepared once a round, as a dry-run
// does, or, with `alone`, once for every offer, as issuing does. With `messages` every message of every finding is
// written too, as a decision record has them. `one` decides the one offer of Service/catalog.yaml for a customer with
// twelve transactions, preparing included; `hundred` decides a hundred such offers and says when each answer changes;
// `thousand` decides the one offer over a thousand transactions; `state` derives the states of the long history's
// groups, and `status` what `POST /v1/customers/status` says of a customer with twelve transactions, a hundred times.
// Prints the median and the fastest round in microseconds, and how many were eligible, so that no compiler can leave
// the work out. `Scripts/bench` counts instructions as the difference between two numbers of rounds under callgrind.

let arguments = CommandLine.arguments.dropFirst()
let count = max(1, arguments.first.flatMap { Int($0) } ?? 200)
let mode = arguments.dropFirst().first ?? "together"
let (facts, questions) =
    switch mode {
    case "one", "status": (ShortHistory.facts(), ShortHistory.questions())
    case "hundred": (ShortHistory.facts(offers: 100), ShortHistory.questions(100))
    case "thousand": (ShortHistory.facts(months: 1_000), ShortHistory.questions())
    default: (LongHistory.facts(), TwentyOffers.questions())
    }
var rounds = Rounds()
var eligible = 0
var findings = 0
var written = 0

@MainActor
func write(_ found: [Finding]) {
    for finding in found {
        findings += 1
        written += finding.message.utf8.count
        write(finding.children ?? [])
    }
}

@MainActor
func decideAll() {
    let subject = PreparedSubject(facts)
    for question in questions {
        if mode == "hundred" {
            let (decision, outlook) = decideAhead(question, about: subject)
            if decision.outcome == .eligible { eligible += 1 }
            if outlook.changesAt != nil { written += 1 }
            continue
        }
        let decision = mode == "alone" ? decide(question, facts: facts) : decide(question, about: subject)
        if decision.outcome == .eligible { eligible += 1 }
        if mode == "messages" { write(decision.findings) }
    }
}

@MainActor
func deriveStates() {
    for state in facts.history.subscriptionStates(at: LongHistory.now) where state.name == .expired { eligible += 1 }
}

@MainActor
func deriveStatuses() {
    for _ in 0..<100 {
        for group in CustomerView(facts.history, at: LongHistory.now).groups {
            let state = group.state(at: LongHistory.now)
            if group.nextChange(after: state, in: { $0.name }) != nil { eligible += 1 }
            if group.newestTrial != nil { written += 1 }
        }
    }
}

for _ in 0..<count {
    rounds.measure {
        switch mode {
        case "state": deriveStates()
        case "status": deriveStatuses()
        default: decideAll()
        }
    }
}

print(
    "transactions \(facts.history.transactions.count), offers \(questions.count), rounds \(count), \(rounds.text()),",
    mode == "state" || mode == "status"
        ? "expired \(eligible / count) a round"
        : "eligible \(eligible / count) a round"
            + (mode == "messages" ? ", \(findings / count) messages of \(written / count) bytes" : "")
            + (mode == "hundred" ? ", \(written / count) that end" : ""))
