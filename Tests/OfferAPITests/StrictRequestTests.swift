import OfferAPI
import OfferModel
import Testing

@Suite("Requests are read strictly")
struct StrictRequestTests {
    private func faults<Body: WireValue>(_ type: Body.Type, _ text: String) -> [ProblemErrorBody] {
        do throws(RequestFault) {
            _ = try WireJSON.decodeRequest(type, from: Array(text.utf8))
            return []
        } catch {
            return error.errors
        }
    }

    @Test("of 3,000 unknown members and a missing one 99 are named, the rest are counted (fault: an error for each)")
    func manyUnknown() throws {
        let members = (0..<3_000).map { "\"m\($0)\":0" }.joined(separator: ",")
        let fault = #expect(throws: RequestFault.self) {
            try WireJSON.decodeRequest(VoidRequestBody.self, from: Array("{\(members)}".utf8))
        }
        let errors = try #require(fault?.errors)
        #expect(errors.count == 100)
        #expect(errors.dropLast().allSatisfy { $0.code == "unknownMember" })
        #expect(errors.last?.detail == "2902 more errors are not shown")
    }

    @Test("a notification is read by its one member, and of everything else only the form is checked")
    func notification() throws {
        func read(_ text: String) throws -> String { try NotificationRequestBody.read(Array(text.utf8)).signedPayload }
        func fault(_ text: String) -> ProblemErrorBody? {
            #expect(throws: RequestFault.self) { try read(text) }?.errors.first
        }
        #expect(try read(#"{"signedPayload":"a.b.c"}"#) == "a.b.c")
        #expect(
            try read(#"{"x":{"signedPayload":"no"},"signed\u0050ayload":"a\u002eb.c","y":[1,{"z":"w"}]}"#) == "a.b.c")
        // As many values as receipts of Version 1 have.
        let receipt = "[" + repeatElement("{\"a\":0}", count: 3_000).joined(separator: ",") + "]"
        #expect(fault("{\"unified_receipt\":\(receipt)}")?.hint?.hasPrefix("choose Version 2") == true)
        let many = repeatElement("0", count: 9_000).joined(separator: ",")
        #expect(fault("{\"signedPayload\":\"a\",\"x\":[\(many)]}")?.code == "tooMany")
        #expect(fault("[\"signedPayload\"]")?.detail == "this must be an object")
        #expect(fault(#"{"signedPayload":{"a":1}}"#)?.code == "wrongType")
        #expect(fault(#"{"signedPayload":"a","x":{"y":1,"y":2}}"#)?.pointer == "/x/y")
    }

    @Test("an issue request is read with every member")
    func issueRequest() throws {
        let body = try WireJSON.decodeRequest(
            IssueRequest.self,
            from: Array(
                """
                {"offerId":"a","productId":"p","customer":{"appAccountToken":"A1A1A1A1-0000-4000-8000-000000000001"},
                "formats":["v2","v1"],"fresh":true,"signals":{"interactions":50,"vip":true,"plan":"x",
                "spent":{"amount":"4.99","currency":"USD"},"seen":{"at":5}},"signedTransactions":["t"],
                "signedRenewalInfo":["r"],"signedAppTransaction":"s","historyComplete":false,
                "request":{"appVersion":"1.2"}}
                """.utf8))
        #expect(body.offerId == "a")
        #expect(body.customer.appAccountToken?.description == "a1a1a1a1-0000-4000-8000-000000000001")
        #expect(body.formats == [.v2, .v1])
        #expect(body.fresh == true)
        #expect(body.signals["interactions"] == .number(50))
        #expect(body.signals["vip"] == .boolean(true))
        #expect(body.signals["spent"] == .money(Money(milliunits: 4_990, currency: "USD")))
        #expect(body.signals["seen"] == .instant(Instant(milliseconds: 5)))
        #expect(body.delivery.signedTransactions == ["t"])
        #expect(body.delivery.historyComplete == false)
        #expect(body.device.appVersion == "1.2")
    }

    @Test("a member that is null counts as absent")
    func nullMember() throws {
        let body = try WireJSON.decodeRequest(
            IssueRequest.self,
            from: Array(
                #"{"offerId":"a","productId":null,"formats":null,"signals":null,"customer":{"customerId":"c"}}"#.utf8))
        #expect(body.productId == nil)
        #expect(body.formats == nil)
        #expect(body.signals.isEmpty)
    }

    @Test(
        "the wrong place is named by a JSON pointer and a code",
        arguments: [
            (#"{"offerId":"a","customer":{"customerid":"c"}}"#, "/customer/customerid", "unknownMember"),
            (#"{"offerId":"a","customer":{"customerId":"c"},"a/b~c":1}"#, "/a~1b~0c", "unknownMember"),
            (#"{"customer":{"customerId":"c"}}"#, "/offerId", "missingMember"),
            (#"{"offerId":null,"customer":{}}"#, "/offerId", "missingMember"),
            (#"{"offerId":7,"customer":{}}"#, "/offerId", "wrongType"),
            (#"{"offerId":"a","customer":[]}"#, "/customer", "wrongType"),
            (#"{"offerId":"a","customer":{"appAccountToken":"x"}}"#, "/customer/appAccountToken", "invalidValue"),
            (#"{"offerId":"a","customer":{},"formats":["v1","v3"]}"#, "/formats/1", "invalidValue"),
            (#"{"offerId":"a","customer":{},"formats":"v1"}"#, "/formats", "wrongType"),
            (#"{"offerId":"a","customer":{},"fresh":1}"#, "/fresh", "wrongType"),
            (#"{"offerId":"a","customer":{},"signedTransactions":["a",1]}"#, "/signedTransactions/1", "wrongType"),
            (#"{"offerId":"a","customer":{},"signals":{"n":1e999}}"#, "/signals/n", "wrongType"),
            (#"{"offerId":"a","customer":{},"signals":{"n":[1]}}"#, "/signals/n", "wrongType"),
            (#"{"offerId":"a","customer":{},"signals":[]}"#, "/signals", "wrongType"),
            (#"{"offerId":"a","customer":{},"request":{"appVersion":{}}}"#, "/request/appVersion", "wrongType"),
            (#"{"fresh":1,"offerId":{}}"#, "/offerId", "wrongType"),
            (#"[]"#, "", "wrongType"), (#""x""#, "", "wrongType"), ("null", "", "wrongType"), ("17", "", "wrongType"),
        ])
    func wrongPlace(_ text: String, pointer: String, code: String) {
        let found = faults(IssueRequest.self, text)
        #expect(found.map(\.pointer) == [pointer])
        #expect(found.map(\.code) == [code])
    }

    @Test("every unknown member of an object is named at once, with the known ones as a hint")
    func severalUnknown() {
        let found = faults(
            TransactionsRequestBody.self, #"{"transactions":[],"complete":true,"signedTransactions":[]}"#)
        #expect(found.map(\.pointer) == ["/complete", "/transactions"])
        #expect(found.first?.hint?.hasPrefix("known members: `signedTransactions`, `signedRenewalInfo`") == true)
    }

    @Test("at most 100 errors are named, the last says how many more there are, and one has the hint (invariant 10)")
    func endlessUnknown() {
        func found(_ count: Int) -> [ProblemErrorBody] {
            let members = (0..<count).map { "\"m\($0)\":0" }.joined(separator: ",")
            return faults(IssueRequest.self, "{\(members)}")
        }
        let hundred = found(99)
        #expect(hundred.count == 100)
        #expect(hundred.prefix(99).allSatisfy { $0.code == "unknownMember" })
        #expect(hundred.last?.pointer == "/offerId")
        #expect(hundred.compactMap(\.hint).count == 1, "the same hint is not repeated")
        let many = found(50_000)
        #expect(many.count == 100)
        #expect(many.dropLast().allSatisfy { $0.code == "unknownMember" })
        #expect(many.last?.code == "tooMany")
        #expect(many.last?.detail == "49902 more errors are not shown")
    }

    @Test("an echoed value is cut after 100 characters (invariant 10)")
    func endlessEcho() {
        let name = String(repeating: "n", count: 255)
        let unknown = faults(IssueRequest.self, "{\"\(name)\":0}")
        #expect(unknown.first?.detail == "there is no member `\(name.prefix(100))…` here")
        #expect(unknown.first?.pointer == "/" + name, "the pointer leads there")
        let word = "v\(String(repeating: "\u{301}", count: 100_000))"
        let format = faults(IssueRequest.self, "{\"offerId\":\"a\",\"customer\":{},\"formats\":[\"\(word)\"]}")
        #expect(format.first?.code == "invalidValue")
        #expect(format.first?.detail.unicodeScalars.count ?? 0 < 200)
        let token = String(repeating: "x", count: 100_000)
        let uuid = faults(
            IssueRequest.self, "{\"offerId\":\"a\",\"customer\":{\"appAccountToken\":\"\(token)\"}}")
        #expect(uuid.first?.pointer == "/customer/appAccountToken")
        #expect(uuid.first?.detail.unicodeScalars.count ?? 0 < 600)
    }

    @Test("no message shows a Swift type")
    func noSwiftNames() {
        let texts = [
            "[]", "1", #"{"offerId":1}"#, #"{"offerId":"a","customer":1}"#,
            #"{"offerId":"a","customer":{"appAccountToken":1}}"#,
            #"{"offerId":"a","customer":{},"formats":[{}]}"#, #"{"offerId":"a","customer":{},"signals":{"a":null}}"#,
            #"{"offerId":"a","customer":{},"fresh":"yes"}"#, #"{"offerId":"a","customer":{},"formats":["x"]}"#,
        ]
        for text in texts {
            for fault in faults(IssueRequest.self, text) {
                for word in ["Swift", "String", "Bool", "Array", "Dictionary", "Optional", "Body", "Codable", "Int"] {
                    #expect(!"\(fault.detail) \(fault.hint ?? "")".contains(word), "\(fault.detail)")
                }
            }
        }
    }
}
