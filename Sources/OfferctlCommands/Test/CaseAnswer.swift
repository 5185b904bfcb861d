import CommandLineSupport
import Foundation
import OfferAPI
import OfferDocuments
import OfferEligibility
import OfferModel

/// What a case comes to, in the form of Examples/conformance: the decision as `POST /v1/decisions` shows it, and the
/// state.
struct CaseAnswer: Encodable {
    let outcome: String?
    let findings: [FindingBody]?
    let state: [String: String]

    private init(_ file: CaseFile, _ asked: OfferCase) {
        let decision = file.decision(of: asked)
        outcome = decision?.outcome.rawValue
        findings = decision?.findings.map(Self.body)
        state = file.stateMembers(of: asked)
    }

    /// Answers documents of one case each, a line of standard input each.
    static func answerLines() throws {
        var catalogs = CaseCatalogs()
        var number = 0
        while let line = readLine() {
            number += 1
            let document = ReadDocument("line \(number)") {
                try CaseReader.read(Array(line.utf8), vocabulary: .evaluator) { catalogs.read($0, namedIn: ".") }
            }
            guard let file = document.value else {
                throw CommandFailure(.usage, lines: catalogs.messages + document.messages)
            }
            guard let asked = file.cases.first, file.cases.count == 1 else {
                throw CommandFailure(
                    .usage, "line \(number) has \(file.cases.count.counted("case"))", hints: ["write one case a line"])
            }
            try Console.output(CaseAnswer(file, asked).jsonText(isPretty: false))
        }
    }

    private static func body(_ finding: Finding) -> FindingBody {
        let point: TurningPointBody? =
            switch finding.turningPoint {
            case .at(let instant): TurningPointBody(at: instant)
            case .event(let event): TurningPointBody(event: event.rawValue)
            case nil: nil
            }
        return FindingBody(
            rule: finding.rule.rawValue, verdict: finding.verdict.rawValue, reason: finding.reason.rawValue,
            path: finding.path, message: finding.message,
            evidence: finding.evidence.filter { $0.transactionId != nil }.map {
                EvidenceBody(field: $0.field, transactionId: $0.transactionId)
            }, turningPoint: point, children: finding.children?.map(body))
    }
}
