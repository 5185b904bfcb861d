import OfferModel

extension Condition {
    /// A comparison's finding, and how its verdict goes on.
    func judge(_ compiled: CompiledComparison, path: String?) -> JudgedNode {
        let (comparison, type) = (compiled.comparison, compiled.type)
        let fact = reader.fact(compiled.name, at: Moment(now: subject.now, state: state))
        let answer = comparison.answer(fact.knowledge, as: type)
        let instants = reader.turningInstants(of: compiled.name, numbers: compiled.numbers, after: subject.now)
        let course = VerdictCourse(answer.verdict, at: instants) { instant in
            comparison.answer(reader.knowledge(of: compiled.name, at: instant), as: type).verdict
        }
        let evidence = Evidence(
            field: comparison.fact, observed: fact.observed.map(EvidenceValue.value),
            required: compiled.required, provenance: fact.provenance, transactionId: fact.transactionId)
        let turningPoint =
            course.flip.map(TurningPoint.at)
            ?? comparison.event(fact, answer, as: type).map(TurningPoint.event)
        let finding = Finding(
            rule: .ruleEligibility, verdict: answer.verdict, reason: answer.reason, path: path,
            sentence: Message { comparison.message(fact, answer) }, evidence: [evidence], turningPoint: turningPoint)
        return JudgedNode(finding, course)
    }
}

extension Comparison {
    fileprivate func message(_ fact: Fact, _ answer: ComparisonAnswer) -> String {
        let observed: String
        switch fact.knowledge {
        case .known(let value): observed = "is `\(value)`"
        case .atLeast(let number, _): observed = "is at least `\(FactValue.number(number))`"
        case .undetermined(let reason): observed = "is not known because \(reason.explanation)"
        }
        let because =
            if answer.verdict == .undetermined, fact.observed != nil { " because \(answer.reason.explanation)" } else {
                ""
            }
        let verb =
            switch answer.verdict {
            case .satisfied: "as required"
            case .violated: "required"
            case .undetermined, .notApplicable: "not decided\(because), required"
            }
        return "`\(self.fact)` \(observed), \(verb): \(requirement)"
    }

    /// The operator and operands in words.
    fileprivate var requirement: String {
        let values = operands.map { "`\($0)`" }
        let first = values.first ?? ""
        return switch comparisonOperator {
        case .is: first
        case .isNot: "not \(first)"
        case .in: "one of \(values.joined(separator: ", "))"
        case .notIn: "none of \(values.joined(separator: ", "))"
        case .atLeast: "at least \(first)"
        case .atMost: "at most \(first)"
        case .moreThan: "more than \(first)"
        case .lessThan: "less than \(first)"
        case .between: "between \(values.joined(separator: " and "))"
        case .exists: operands.first == .boolean(false) ? "not to be known" : "to be known"
        }
    }
}
