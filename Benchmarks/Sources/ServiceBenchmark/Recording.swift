import Foundation
import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import Rounds
import SQLiteStore
import Synchronization

/// What one issued offer writes: issued offer, decision record, signature and audit, committed durably. Offers are
/// decided and signed beforehand; then so many of their transactions at once are let into the database.
struct Recording {
    private static let count = 2_000
    private let folder: URL

    init(folder: URL) {
        self.folder = folder
    }

    /// - Parameter first: the customer to begin with: nobody is asked for twice.
    func measure(waiters: Int, first: Int) async throws {
        let gate = WriteGate(try Bench.database(in: folder))
        let useCases = try Bench.useCases(in: folder, gate)
        let caller = try Bench.caller()
        let recorded = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<Self.count {
                group.addTask {
                    let order = IssueRequest {
                        ($0.offerId, $0.customer, $0.formats) = ("comeback", Bench.customer(first + number), [.v2])
                    }
                    let answer = try await useCases.issuing.issue(order, caller: caller, as: nil) { answer in
                        guard case .issued(_, true) = answer else { throw NotMeasured(text: "\(answer)") }
                        return WrittenAnswer(status: 201, contentType: "", body: [])
                    }
                    return answer.status == 201
                }
            }
            await gate.untilWaiting(Self.count)
            gate.open(places: waiters)
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        guard recorded == Self.count else {
            throw NotMeasured(text: "\(Self.count - recorded) of \(Self.count) offers were not newly issued")
        }
        let (latencies, whole) = gate.times()
        let perSecond =
            Double(Self.count) / (Double(whole.components.seconds) + Double(whole.components.attoseconds) / 1e18)
        print("record an issue, \(waiters) waiting\t\(latencies.text()), \(Int(perSecond)) a second")
    }
}

/// A measurement that did not measure what it says.
struct NotMeasured: Error, CustomStringConvertible {
    var text: String
    var description: String { text }
}
