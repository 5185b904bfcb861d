import Foundation
import OfferModel
import OfferTestSupport
import Testing

@testable import AppStoreData

@Suite struct ReceiptReaderTests {
    @Test("each answer of the folder says what it says")
    func cases() throws {
        let cases = try ReceiptCase.all()
        #expect(cases.count == 41)
        for entry in cases {
            let read = try entry.read()
            #expect(read.transactions == entry.transactions, "\(entry.name): \(entry.says)")
            #expect(read.renewalInfos == entry.renewalInfos, "\(entry.name): \(entry.says)")
            #expect(read.skippedPurchases == entry.skipped, "\(entry.name): \(entry.says)")
            #expect(read.customerId == entry.customerId, "\(entry.name): \(entry.says)")
            #expect(read.appAccountToken == entry.appAccountToken, "\(entry.name): \(entry.says)")
        }
    }

    @Test("the state that follows from an answer alone is the one that its dates and renewals allow")
    func states() throws {
        for entry in try ReceiptCase.all() {
            let history = History(try entry.read())
            for expected in entry.states {
                let at = Instant(milliseconds: expected.at)
                let state = history.subscriptionStates(at: at)
                    .first { $0.subscriptionGroupIdentifier.rawValue == expected.group }
                let shown = "\(entry.name) at \(at): \(entry.says)"
                #expect(state?.name?.rawValue == expected.state, "\(shown)")
                if let reason = expected.reason {
                    #expect(state?.resolution.undeterminedReason?.rawValue == reason, "\(shown)")
                }
                if let ends = expected.accessEnds {
                    #expect(state?.accessEnds == Instant(milliseconds: ends), "\(shown)")
                }
            }
        }
    }

    @Test("each answer that cannot be taken is refused with its place and what to do")
    func refusals() throws {
        let file = try #require(Bundle.module.url(forResource: "Fixtures/refused-receipts", withExtension: "json"))
        let parsed = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        let members = try #require(parsed as? [String: Any])
        let now = Instant(milliseconds: try #require(members["now"] as? Int64))
        let answer = try #require(members["answer"])
        let cases = try #require(members["cases"] as? [[String: Any]])
        #expect(cases.count == 70)
        for entry in cases {
            let name = try #require(entry["name"] as? String)
            let changes = entry["set"] as? [String: Any] ?? [:]
            let removals = entry["remove"] as? [String] ?? []
            var edited = entry["input"] ?? answer
            for pointer in removals { edited = Self.edited(edited, Self.steps(pointer)[...], nil) }
            for (pointer, value) in changes.sorted(by: { $0.key < $1.key }) {
                edited = Self.edited(edited, Self.steps(pointer)[...], value)
            }
            let expected = try #require(entry["problems"] as? [[String: String]]).map { problem in
                ReceiptProblem(
                    reason: try #require(ReceiptProblem.Reason(rawValue: problem["reason"] ?? "")),
                    path: problem["path"] ?? "",
                    detail: problem["detail"] ?? "", hint: problem["hint"])
            }
            let bytes = try ReceiptCase.bytes(edited)
            #expect(Self.refusal(of: bytes, now: now)?.problems == expected, "\(name)")
        }
        #expect(Self.refusal(of: try ReceiptCase.bytes(answer), now: now) == nil)
    }

    static func refusal(of bytes: [UInt8], now: Instant) -> ReceiptRefusal? {
        do throws(ReceiptRefusal) {
            _ = try ReceiptReader(scope: .example).read(bytes, now: now)
            return nil
        } catch {
            return error
        }
    }

    private static func steps(_ pointer: String) -> [String] {
        pointer.split(separator: "/").map(String.init)
    }

    /// The value with what a JSON pointer names set, or removed.
    private static func edited(_ value: Any, _ steps: ArraySlice<String>, _ new: Any?) -> Any {
        guard let step = steps.first else { return new ?? NSNull() }
        if var members = value as? [String: Any] {
            if steps.count == 1 {
                members[step] = new
            } else {
                members[step] = edited(members[step] ?? [String: Any](), steps.dropFirst(), new)
            }
            return members
        }
        guard var elements = value as? [Any], let place = Int(step) else { return value }
        if place == elements.count { elements.append([String: Any]()) }
        guard elements.indices.contains(place) else { return value }
        elements[place] = edited(elements[place], steps.dropFirst(), new)
        return elements
    }
}
