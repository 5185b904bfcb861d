/// The course of a request, by the clock of the test: places in the order of everything that was sent and received.
struct ModelTrace: Sendable {
    struct Send: Sendable {
        var started: Int
        /// Absent if no answer came.
        var ended: Int?
        var answer: RunningServer.Answer?
    }

    var request: ModelRequest
    var sends: [Send] = []
    /// The status of the look after it.
    var looked: Int?

    /// The answers that mean something: 503 says that nothing happened.
    var answers: [RunningServer.Answer] { sends.compactMap(\.answer).filter { $0.status != 503 } }
}

extension ModelTrace: CustomStringConvertible {
    var description: String {
        let answers = sends.map { send in
            let rules = send.answer?.rules.sorted().joined(separator: " ") ?? ""
            let id = send.answer?.json["issuedOfferId"] as? String ?? ""
            let replayed = send.answer?.headers["idempotent-replayed"] == nil ? "" : " replayed"
            return "[\(send.started)-\(send.ended.map(String.init) ?? "") "
                + "\(send.answer.map { "\($0.status)" } ?? "lost")\(replayed) \(rules)\(id)]"
        }
        return "\(request) \(answers.joined(separator: " "))\(looked.map { " looked: \($0)" } ?? "")"
    }
}
