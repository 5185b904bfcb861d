import AppStoreServer
import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite struct RefusalTests {
    private struct Refusal: Decodable {
        var status: Int
        var errorCode: Int64
        var code: String
        var says: String?
    }

    @Test("a refusal keeps Apple's number, known or not, says what to do and is not asked again")
    func refusals() async throws {
        let url = try #require(Bundle.module.url(forResource: "Fixtures/refusals", withExtension: "json"))
        let cases = try JSONDecoder().decode([Refusal].self, from: Data(contentsOf: url))
        #expect(cases.count == 21)
        try await AppleServer.run({ _, place in
            let refusal = cases[min(place, cases.count - 1)]
            let body = #"{"errorCode":\#(refusal.errorCode),"errorMessage":"Apple\nsays","more":{}}"#
            return .answer(refusal.status, body)
        }) { server in
            try await withClient(of: server) { client in
                for (place, refusal) in cases.enumerated() {
                    let error = await failure { () throws(AppStoreServerError) in
                        try await client.signedAppTransaction(of: "70")
                    }
                    #expect(error?.code.rawValue == refusal.code, "\(refusal.errorCode)")
                    #expect(error?.errorCode?.rawValue == refusal.errorCode)
                    #expect(error?.status == refusal.status)
                    #expect(error?.attempts == 1, "\(refusal.errorCode)")
                    #expect(error?.message.hasSuffix(" (\(refusal.errorCode): Apple says)") == true)
                    if let says = refusal.says { #expect(error?.message.contains(says) == true, "\(says)") }
                    #expect(server.seen.count == place + 1)
                }
            }
        }
    }

    @Test(
        "an error without Apple's body is told by its status, whatever the body is (invariant 10)",
        arguments: [
            (401, "", AppStoreServerError.Code.unauthenticated),
            (401, "Unauthenticated\n\nRequest ID: X", .unauthenticated),
            (404, "<html>", .notFound), (400, "[]", .refused), (400, #"{"errorCode":"4040010"}"#, .refused),
            (404, #"{"errorCode":4040010.5}"#, .notFound), (500, "null", .unavailable), (301, "", .refused),
            (404, String(repeating: "[", count: 100_000), .notFound), (400, #"{"errorCode":1e400}"#, .refused),
            (400, #"{"errorCode":4000006,"errorCode":4000006}"#, .refused),
        ])
    func unreadableRefusals(status: Int, body: String, code: AppStoreServerError.Code) async throws {
        try await AppleServer.run(answering: [.answer(status, body)]) { server in
            let error = try await withClient(of: server) { client in
                await failure { () throws(AppStoreServerError) in try await client.signedAppTransaction(of: "70") }
            }
            #expect(error?.code == code)
            #expect(error?.status == status)
            #expect(server.seen.count == 1)
        }
    }

    @Test("a redirect is not followed: the token stays with Apple (invariant 9)")
    func redirect() async throws {
        try await AppleServer.run(answering: [.silence]) { stranger in
            try await AppleServer.run(answering: [.answer(307, "", ["Location": stranger.address + "/x"])]) { server in
                let error = try await withClient(of: server) { client in
                    await failure { () throws(AppStoreServerError) in try await client.signedAppTransaction(of: "70") }
                }
                #expect(error?.code == .refused)
                #expect(error?.status == 307)
                #expect(stranger.seen.isEmpty)
            }
        }
    }

    @Test("a long message of Apple's is cut")
    func longMessage() async throws {
        let long = String(repeating: "x", count: 5_000)
        try await AppleServer.run(answering: [.error(4_000_000, long)]) { server in
            let error = try await withClient(of: server) { client in
                await failure { () throws(AppStoreServerError) in try await client.signedAppTransaction(of: "70") }
            }
            #expect(
                error?.message
                    == "Apple refuses the request (4000000: \(String(repeating: "x", count: 200)))")
        }
    }

    static let unreadable = [
        "", "{", "null", "7", "[]", "{}", #"{"hasMore":false}"#, #"{"signedTransactions":[]}"#,
        #"{"hasMore":"no","signedTransactions":[]}"#, #"{"hasMore":false,"signedTransactions":{}}"#,
        #"{"hasMore":false,"signedTransactions":[7]}"#, #"{"hasMore":true,"signedTransactions":[]}"#,
        #"{"hasMore":true,"revision":"","signedTransactions":[]}"#,
        #"{"hasMore":false,"signedTransactions":[null]}"#, "\u{FEFF}<html>busy</html>",
        #"{"hasMore":false,"signedTransactions":"# + String(repeating: "[", count: 100_000),
    ]

    @Test("an answer that is not Apple's is an error and never an empty history (invariants 3, 10)")
    func unreadableAnswers() async throws {
        try await AppleServer.run({ _, place in .answer(200, Self.unreadable[min(place, 15)]) }) { server in
            try await withClient(of: server) { client in
                for (place, body) in Self.unreadable.enumerated() {
                    let error = await failure { () throws(AppStoreServerError) in
                        try await client.transactionHistory(of: "70")
                    }
                    #expect(error?.code == .unreadableAnswer, "\(body.prefix(60))")
                    #expect(server.seen.count == place + 1)
                }
            }
        }
    }

    @Test("an answer longer than allowed is not read to its end (invariant 10)")
    func tooLarge() async throws {
        let huge = historyPage([String(repeating: "x", count: 10_000)], revision: "r", hasMore: false)
        try await AppleServer.run(answering: [huge]) { server in
            let error = try await withClient(of: server, policy: CallPolicy { $0.maximumAnswerBytes = 9_999 }) {
                client in
                await failure { () throws(AppStoreServerError) in try await client.transactionHistory(of: "70") }
            }
            #expect(error?.code == .unreadableAnswer)
            #expect(error?.message == "the response of `\(server.address)` is longer than Apple's responses ever are")
            #expect(error?.attempts == 1)
        }
    }
}
