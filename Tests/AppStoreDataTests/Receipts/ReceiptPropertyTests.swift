import AppStoreData
import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite struct ReceiptPropertyTests {
    private static let now = Instant(milliseconds: 1_717_200_000_000)

    @Test("a transaction that Apple signed outranks the receipt's, whatever their dates and their order (invariant 7)")
    func signedWins() throws {
        var random = SeededGenerator(seed: 0x5EED_0026)
        for entry in try ReceiptCase.all() {
            let receipt = try entry.read()
            guard !receipt.transactions.isEmpty else { continue }
            for _ in 0..<20 {
                var history = History(receipt)
                let signed = receipt.transactions.enumerated().map { place, transaction in
                    var transaction = transaction
                    transaction.price = 9_990
                    transaction.signedDate = transaction.signedDate.adding(
                        milliseconds: Int64.random(in: -1_000_000_000...1_000_000_000, using: &random))
                    return Recorded(
                        payload: transaction, payloadBytes: [UInt8(place)], provenance: .client,
                        sequence: Int64.random(in: 0...5_000, using: &random))
                }
                history.transactions = (history.transactions + signed).shuffled(using: &random)
                let current = history.purchases.rows
                #expect(current.count == Set(receipt.transactions.map(\.transactionId)).count, "\(entry.name)")
                #expect(current.allSatisfy { $0.provenance == .client && $0.payload.price == 9_990 }, "\(entry.name)")
            }
        }
    }

    @Test("the order of purchases in an answer changes nothing of what it says (invariant 7)")
    func order() throws {
        var random = SeededGenerator(seed: 0x5EED_0027)
        for entry in try ReceiptCase.all() {
            let read = try entry.read()
            for _ in 0..<5 {
                let parsed = try JSONSerialization.jsonObject(with: Data(entry.input))
                let shuffled = try ReceiptCase.bytes(Self.shuffled(parsed, using: &random))
                let again = try ReceiptReader(scope: .example).read(shuffled, now: Self.now)
                #expect(Set(again.transactions) == Set(read.transactions), "\(entry.name)")
                #expect(Set(again.renewalInfos) == Set(read.renewalInfos), "\(entry.name)")
            }
        }
    }

    private static func shuffled(_ value: Any, using random: inout SeededGenerator) -> Any {
        if let members = value as? [String: Any] {
            var copy = members
            for name in members.keys.sorted() {
                copy[name] = members[name].map { shuffled($0, using: &random) }
            }
            return copy
        }
        guard let elements = value as? [Any] else { return value }
        return elements.map { shuffled($0, using: &random) }.shuffled(using: &random)
    }

    @Test("of an archive of notifications the later event is the newer view, in any order (invariant 7)")
    func archive() throws {
        var random = SeededGenerator(seed: 0x5EED_0029)
        let day = Instant.Duration.day
        let bought: Int64 = 1_704_067_200_000
        let ends = bought + 30 * day
        for _ in 0..<200 {
            // Renewal is turned off and on some times, each at a later moment; other notifications have no date.
            let changes = (0..<Int.random(in: 1...5, using: &random)).map { place in
                (at: bought + Int64(place + 1) * day, isOn: Bool.random(using: &random))
            }
            var archive = try changes.map { change in
                try Self.notification(bought, ends, isOn: change.isOn, changedAt: change.at)
            }
            archive.append(try Self.notification(bought, ends, isOn: true, changedAt: nil))
            var infos: [RenewalInfo] = []
            for bytes in archive.shuffled(using: &random) {
                infos += try ReceiptReader(scope: .example).read(bytes, now: Self.now).renewalInfos
            }
            let newest = infos.max { $0.signedDate < $1.signedDate }
            #expect(newest?.signedDate == changes.last.map { Instant(milliseconds: $0.at) }, "seed \(random.seed)")
            #expect(newest?.autoRenewStatus == (changes.last?.isOn == true ? .on : .off), "seed \(random.seed)")
        }
    }

    private static func notification(
        _ bought: Int64, _ ends: Int64, isOn: Bool, changedAt: Int64?
    ) throws -> [UInt8] {
        let purchase: [String: Any] = [
            "product_id": "com.example.pro.monthly", "transaction_id": "1001", "original_transaction_id": "1001",
            "purchase_date_ms": "\(bought)", "expires_date_ms": "\(ends)", "subscription_group_identifier": "21500001",
        ]
        let renewal: [String: Any] = [
            "product_id": "com.example.pro.monthly", "original_transaction_id": "1001",
            "auto_renew_product_id": "com.example.pro.monthly", "auto_renew_status": isOn ? "1" : "0",
        ]
        var whole: [String: Any] = [
            "notification_type": changedAt == nil ? "INITIAL_BUY" : "DID_CHANGE_RENEWAL_STATUS",
            "environment": "Sandbox", "bid": "com.example.pro",
            "unified_receipt": [
                "status": 0, "environment": "Sandbox", "latest_receipt_info": [purchase],
                "pending_renewal_info": [renewal],
            ],
        ]
        whole["auto_renew_status_change_date_ms"] = changedAt.map { "\($0)" }
        return try ReceiptCase.bytes(whole)
    }

    @Test("damaged answers are read or refused, never a crash (invariant 10)")
    func damaged() throws {
        var random = SeededGenerator(seed: 0x5EED_0028)
        for entry in try ReceiptCase.all() {
            for _ in 0..<60 {
                var bytes = entry.input
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                guard let refusal = ReceiptReaderTests.refusal(of: bytes, now: Self.now) else { continue }
                #expect(!refusal.problems.isEmpty, "seed \(random.seed)")
                #expect(refusal.problems.allSatisfy { !$0.detail.isEmpty }, "seed \(random.seed)")
            }
        }
    }

    @Test("text that is not a JSON object, or is nested without end, is refused (invariant 10)")
    func notAnObject() {
        let deep =
            String(repeating: #"{"receipt":"#, count: 400) + "1" + String(repeating: "}", count: 400)
        let unreadable = "the answer is not JSON, or is nested too deeply"
        for (text, detail) in [
            ("", unreadable), ("{", unreadable), (deep, unreadable),
            (String(repeating: "[", count: 65_000), unreadable),
            ("[]", "is not a JSON object"), ("7", "is not a JSON object"), ("null", "is not a JSON object"),
            ("MIIbXAYJ", "is a receipt in Base64 and not what verifyReceipt answers to it"),
            ("\"MIIbXAYJ\"", "is a receipt in Base64 and not what verifyReceipt answers to it"),
            ("eyJhbGci.eyJ0.c2ln", "is a JWS, which Apple has signed"),
        ] {
            let refusal = ReceiptReaderTests.refusal(of: Array(text.utf8), now: Self.now)
            #expect(refusal?.problems.map(\.detail) == [detail], "\(text.prefix(20))")
        }
    }

    @Test("an answer of 3,000 purchases is read whole, and one of 16 MiB is refused before it is read (invariant 10)")
    func huge() throws {
        let day = Instant.Duration.day
        let entries = (0..<3_000).map { place -> [String: Any] in
            let purchased = 1_500_000_000_000 + Int64(place) * day
            return [
                "product_id": "com.example.pro.daily", "transaction_id": "\(10_000 + place)",
                "original_transaction_id": "10000", "purchase_date_ms": "\(purchased)",
                "expires_date_ms": "\(purchased + day)", "subscription_group_identifier": "21500001",
            ]
        }
        var answer: [String: Any] = [
            "status": 0, "environment": "Sandbox", "latest_receipt_info": entries,
            "receipt": ["bundle_id": "com.example.pro", "request_date_ms": "1717000000000", "in_app": entries],
        ]
        let bytes = try ReceiptCase.bytes(answer)
        let read = try ReceiptReader(scope: .example).read(bytes, now: Self.now)
        #expect(read.transactions.map(\.transactionId.rawValue) == (0..<3_000).map { "\(10_000 + $0)" })
        answer["latest_receipt"] = String(repeating: "A", count: ReceiptReader.maximumBytes)
        let over = try ReceiptCase.bytes(answer)
        let refusal = ReceiptReaderTests.refusal(of: over, now: Self.now)
        #expect(refusal?.problems.map(\.detail) == ["the answer has \(over.count) bytes, more than 16777216"])
    }

    @Test("of many problems the first ten are told, and how many more there are")
    func manyProblems() throws {
        let entries = (0..<25).map { ["product_id": "p\($0)", "expires_date_ms": "soon"] }
        let answer: [String: Any] = [
            "status": 0, "environment": "Sandbox", "latest_receipt_info": entries,
            "receipt": ["bundle_id": "com.example.pro", "request_date_ms": "1717000000000"],
        ]
        let refusal = ReceiptReaderTests.refusal(of: try ReceiptCase.bytes(answer), now: Self.now)
        #expect(refusal?.problems.map(\.path) == (0..<10).map { "latest_receipt_info[\($0)].expires_date_ms" })
        #expect(refusal?.more == 15)
    }
}
