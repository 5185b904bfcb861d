import OfferModel
import OfferTestSupport
import Testing

/// Attempts of an attacker who has extracted the publishable key from the app.
struct AppAttack: Sendable, CustomTestStringConvertible {
    let title: String
    let path: String
    let status: Int
    let code: String
    /// The members of the request.
    let members: @Sendable (AppWorld) throws -> String

    var testDescription: String { title }

    private init(
        _ title: String, _ path: String, _ status: Int, _ code: String,
        _ members: @escaping @Sendable (AppWorld) throws -> String
    ) {
        self.title = title
        self.path = path
        self.status = status
        self.code = code
        self.members = members
    }

    static let all = unproven + named + mixed + forged + stated

    private static let issue = "/v1/issued-offers"
    private static let decide = "/v1/decisions"
    private static let ingest = "/v1/transactions"
    private static let status = "/v1/customers/status"
    private static let offer = #""offerId":"comeback""#
    private static let refused = "signed-data-refused"

    private static func unproven(
        _ title: String, _ path: String, _ members: @escaping @Sendable (AppWorld) throws -> String
    ) -> AppAttack {
        AppAttack(title, path, 403, "unproven-customer", members)
    }

    /// Nothing shows who asks.
    private static let unproven = [
        unproven("an offer for the transaction of a customer, without her data", issue) { _ in
            #"\#(offer),"customer":{"originalTransactionId":"100"}"#
        },
        unproven("an offer without a customer", issue) { _ in offer },
        unproven("an offer with empty lists of signed data", issue) { _ in
            #"\#(offer),"customer":{"appTransactionId":"app-100"},"signedTransactions":[],"signedRenewalInfo":[]"#
        },
        unproven("an offer by renewal info, which names no app", issue) {
            #"\#(offer),"signedRenewalInfo":[\#($0.anna.renewalInfo)]"#
        },
        unproven("decisions about a customer, without her data", decide) { _ in
            #""customer":{"originalTransactionId":"100"}"#
        },
        unproven("decisions about an account of the app", decide) { _ in
            #""customer":{"appAccountToken":"\#(AppWorld.annasToken)"}"#
        },
        unproven("decisions by renewal info", decide) { #""signedRenewalInfo":[\#($0.anna.renewalInfo)]"# },
        unproven("the status of a customer, without her data", status) { _ in
            #""customers":[{"originalTransactionId":"100"}]"#
        },
        unproven("the status without a customer", status) { _ in "" },
        unproven("the status by renewal info", status) { #""signedRenewalInfo":[\#($0.anna.renewalInfo)]"# },
        unproven("renewal info for the history, without a transaction", ingest) {
            #""signedTransactions":[],"signedRenewalInfo":[\#($0.anna.renewalInfo)]"#
        },
        AppAttack("an account of the app for the history, without signed data", ingest, 400, "invalid-request") { _ in
            #""signedTransactions":[],"customer":{"appAccountToken":"\#(AppWorld.annasToken)"}"#
        },
    ]

    /// Own data, another customer's name.
    private static let named = [
        unproven("an offer for the transaction of another customer", issue) {
            #"\#(offer),\#($0.mallory.proof),"customer":{"originalTransactionId":"100"}"#
        },
        unproven("an offer for the Apple account of another customer", issue) {
            #"\#(offer),\#($0.mallory.proof),"customer":{"originalTransactionId":"200","appTransactionId":"app-100"}"#
        },
        unproven("an offer for the account of another customer", issue) {
            #"\#(offer),\#($0.mallory.proof),"customer":{"appAccountToken":"\#(AppWorld.annasToken)"}"#
        },
        unproven("an offer for a customer as the backend calls her", issue) {
            #"\#(offer),\#($0.mallory.proof),"customer":{"customerId":"anna"}"#
        },
        unproven("decisions about another customer", decide) {
            #"\#($0.mallory.proof),"customer":{"originalTransactionId":"100"}"#
        },
        unproven("decisions about another Apple account", decide) {
            #"\#($0.mallory.proof),"customer":{"appTransactionId":"app-100"}"#
        },
        unproven("decisions about the account of another customer", decide) {
            #"\#($0.mallory.proof),"customer":{"appAccountToken":"\#(AppWorld.annasToken)"}"#
        },
        unproven("decisions about a customer as the backend calls her", decide) {
            #"\#($0.mallory.proof),"customer":{"customerId":"anna"}"#
        },
        unproven("the status of another customer beside one's own", status) {
            #"\#($0.mallory.proof),"customers":[{"originalTransactionId":"200"},{"originalTransactionId":"100"}]"#
        },
        unproven("the status of a customer as the backend calls her", status) {
            #"\#($0.mallory.proof),"customers":[{"customerId":"anna"}]"#
        },
        unproven("one's own data for the account of another customer", ingest) {
            #"\#($0.mallory.proof),"customer":{"appAccountToken":"\#(AppWorld.annasToken)"}"#
        },
        unproven("one's own data for a customer as the backend calls her", ingest) {
            #"\#($0.mallory.proof),"customer":{"customerId":"anna"}"#
        },
    ]

    /// Data of two customers in one request.
    private static let mixed = [
        unproven("an offer by the transactions of two customers", issue) {
            #"\#(offer),"signedTransactions":[\#($0.mallory.transactions),\#($0.anna.transactions)]"#
        },
        unproven("an offer by one's own app transaction and another's purchase", issue) {
            #"\#(offer),"signedTransactions":[\#($0.anna.transactions)],"signedAppTransaction":\#($0.mallory.appTransaction)"#
        },
        unproven("an offer by one's own purchase and another's renewal info", issue) {
            #"\#(offer),"signedTransactions":[\#($0.mallory.transactions)],"signedRenewalInfo":[\#($0.anna.renewalInfo)]"#
        },
        unproven("an offer by two purchases that name no Apple account", issue) { world in
            let own = try world.edited { $0["appTransactionId"] = nil }
            let other = try world.edited {
                $0["appTransactionId"] = nil
                $0["originalTransactionId"] = "100"
            }
            return #"\#(offer),"signedTransactions":[\#(own),\#(other)]"#
        },
        unproven("an offer by a purchase that names no Apple account beside one's own", issue) { world in
            let other = try world.edited {
                $0["appTransactionId"] = nil
                $0["originalTransactionId"] = "100"
            }
            return #"\#(offer),"signedTransactions":[\#(world.mallory.transactions),\#(other)]"#
        },
        unproven("decisions by the transactions of two customers", decide) {
            #""signedTransactions":[\#($0.mallory.transactions),\#($0.anna.transactions)]"#
        },
        unproven("the status by the transactions of two customers", status) {
            #""signedTransactions":[\#($0.mallory.transactions),\#($0.anna.transactions)]"#
        },
        unproven("the transactions of two customers for the history", ingest) {
            #""signedTransactions":[\#($0.mallory.transactions),\#($0.anna.transactions)]"#
        },
    ]

    /// Data that Apple did not sign for this app and environment.
    private static let forged = [
        AppAttack("an offer by data under another root", issue, 422, refused) { #"\#(offer),\#($0.forged.proof)"# },
        AppAttack("decisions by data under another root", decide, 422, refused) { $0.forged.proof },
        AppAttack("the status by data under another root", status, 422, refused) { $0.forged.proof },
        AppAttack("data under another root for the history", ingest, 422, refused) { $0.forged.proof },
        AppAttack("an offer by data of another app", issue, 422, refused) { #"\#(offer),\#($0.otherApp.proof)"# },
        AppAttack("an offer by free purchases in Sandbox", issue, 422, refused) { #"\#(offer),\#($0.sandbox.proof)"# },
        AppAttack("the status by free purchases in Sandbox", status, 422, refused) { $0.sandbox.proof },
        AppAttack("an offer by a changed payload under the old signature", issue, 422, refused) { world in
            let jws = try world.newest(world.mallory)
            let other = try world.newest(world.anna).split(separator: ".")[1]
            let parts = jws.split(separator: ".")
            return #"\#(offer),"signedTransactions":["\#(parts[0]).\#(other).\#(parts[2])"]"#
        },
        AppAttack("an offer by data that is not signed", issue, 422, refused) { world in
            let payload = try world.newest(world.anna).split(separator: ".")[1]
            return #"\#(offer),"signedTransactions":["eyJhbGciOiJub25lIn0.\#(payload)."]"#
        },
        AppAttack("an offer by data dated in the future", issue, 422, refused) { world in
            let later = world.service.clock.now.adding(milliseconds: Instant.Duration.hour).milliseconds
            return #"\#(offer),"signedTransactions":[\#(try world.edited { $0["signedDate"] = later })]"#
        },
        AppAttack("an offer by data signed with a certificate that was not valid then", issue, 422, refused) { world in
            #"\#(offer),"signedTransactions":[\#(try world.edited { $0["signedDate"] = 900_000_000_000 })]"#
        },
        AppAttack("an offer by one's own data beside forged data", issue, 422, refused) {
            #"\#(offer),"signedTransactions":[\#($0.mallory.transactions),\#($0.forged.transactions)]"#
        },
        AppAttack("an offer by data of two customers beside forged data", issue, 422, refused) {
            #"\#(offer),"signedTransactions":[\#($0.mallory.transactions),\#($0.anna.transactions),\#($0.forged.transactions)]"#
        },
        AppAttack("one's own data beside forged data for the history", ingest, 422, refused) {
            #""signedTransactions":[\#($0.mallory.transactions),\#($0.forged.transactions)]"#
        },
        AppAttack("a complete history beside forged data", ingest, 422, refused) {
            #""signedTransactions":[\#($0.mallory.transactions),\#($0.forged.transactions)],"historyComplete":true"#
        },
    ]

    /// Facts and questions that only a backend or staff may send.
    private static let stated = [
        AppAttack("a V1 signature, which names no transaction", issue, 403, "forbidden") {
            #"\#(offer),\#($0.mallory.proof),"formats":["v2","v1"]"#
        },
        AppAttack("an offer that is delivered as V1 alone", issue, 403, "not-eligible") {
            #""offerId":"unbound",\#($0.mallory.proof)"#
        },
        AppAttack("an offer on a complete history", issue, 403, "forbidden") {
            #"\#(offer),\#($0.mallory.proof),"historyComplete":true"#
        },
        AppAttack("a complete history", ingest, 403, "forbidden") { #"\#($0.mallory.proof),"historyComplete":true"# },
        AppAttack("a complete history without purchases", ingest, 403, "forbidden") { _ in
            #""signedTransactions":[],"historyComplete":true,"customer":{"appAccountToken":"\#(AppWorld.annasToken)"}"#
        },
        AppAttack("an offer by a signal of the backend", issue, 403, "forbidden") {
            #""offerId":"regular",\#($0.mallory.proof),"signals":{"sessions":5,"plan":"team"}"#
        },
        AppAttack("decisions by a signal of the backend", decide, 403, "forbidden") {
            #"\#($0.mallory.proof),"signals":{"plan":"team"}"#
        },
        AppAttack("decisions at another time", decide, 403, "forbidden") {
            #"\#($0.mallory.proof),"asOf":1779000000000"#
        },
        AppAttack("decisions on an invented history", decide, 403, "forbidden") {
            #"\#($0.mallory.proof),"history":{"transactions":[],"renewalInfos":[],"complete":true}"#
        },
        AppAttack("decisions by an invented catalog", decide, 403, "forbidden") {
            #"\#($0.mallory.proof),"catalog":"offers: []""#
        },
        AppAttack("decisions by an earlier catalog", decide, 403, "forbidden") {
            #"\#($0.mallory.proof),"catalogRevision":1"#
        },
        AppAttack("more signed data than a request may bring", decide, 400, "invalid-request") { _ in
            #""signedTransactions":[\#(Array(repeating: "\"a\"", count: 21).joined(separator: ","))]"#
        },
        AppAttack("an offer by more signed data than a request may bring", issue, 400, "invalid-request") {
            let many = Array(repeating: $0.mallory.appTransaction, count: 20).joined(separator: ",")
            return #"\#(offer),"signedTransactions":[\#(many)],"signedAppTransaction":\#($0.mallory.appTransaction)"#
        },
        AppAttack("the status twenty-one times", status, 400, "invalid-request") {
            let customers = Array(repeating: #"{"originalTransactionId":"200"}"#, count: 21).joined(separator: ",")
            return #"\#($0.mallory.proof),"customers":[\#(customers)]"#
        },
    ]
}
