import AsyncHTTPClient
import CommandLineSupport
import Foundation
import LocalAppStore
import OfferDocuments
import OfferModel
import OfferTestSupport

/// A server with a few months of customers, whose clock and whose users' clocks stand still. Its year is ahead of the
/// clock that made its keys.
struct CapturedService {
    static let now = "2030-11-20T09:00:00Z"
    /// The customer that support looks up.
    static let customer = "müller-日本-0017"

    let user: Operator
    private let installation: Installation
    private let server: RunningServer
    private let client: HTTPClient
    /// Stops the wall clock of a program that it is preloaded into.
    private let clockLibrary: String
    /// The server's time.
    private var clock = Instant(milliseconds: 0)

    /// Runs the body beside the server.
    static func run(_ body: (CapturedService) async throws -> Void) async throws {
        let installation = try await Installation()
        try installation.directory.write("0", to: "clock")
        let server = try await RunningServer.start(installation, arguments: ["--clock-file", "clock"])
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        do {
            var service = try Self(installation, server, client)
            try await service.happen()
            try await body(service)
        } catch {
            try? await client.shutdown()
            await server.kill()
            throw error
        }
        try await client.shutdown()
        _ = await server.stop()
    }

    private init(_ installation: Installation, _ server: RunningServer, _ client: HTTPClient) throws {
        (self.installation, self.server, self.client) = (installation, server, client)
        user = Operator(server: server, token: try installation.token(.admin))
        try user.saves(try Fixture.text("terminal/planned.yaml"), as: "catalog.yaml")
        let source = try installation.directory.write(try Fixture.text("terminal/clock.c"), to: "clock.c")
        clockLibrary = installation.directory.path("clock.so")
        let built = try Command.run("clang", ["-shared", "-fPIC", "-o", clockLibrary, source])
        guard built.status == 0 else { throw Installation.Failed(what: built.errorText) }
    }

    /// The output of a command in a terminal of that width, with random ids numbered.
    func shows(_ line: String, columns: Int, isColoured: Bool) async throws -> String {
        var environment = [
            "OFFERCTL_SERVER": server.url, "OFFERCTL_TOKEN": user.token, "TERM": "xterm", "LD_PRELOAD": clockLibrary,
            "FIXED_CLOCK": "\(clock.seconds)",
        ]
        if !isColoured { environment["NO_COLOR"] = "1" }
        let run = try await BuiltProgram("offerctl").runAtTerminal(
            ShellWords.split(line), columns: columns, environment: environment, directory: user.directory?.url)
        var ids: [String] = []
        let text = run.text.replacing("\r\n", with: "\n").replacing(
            #/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/#
        ) { match in
            let id = String(match.output)
            guard id != Self.token(21) else { return id }
            if !ids.contains(id) { ids.append(id) }
            let number = (ids.firstIndex(of: id) ?? 0) + 1
            return "00000000-0000-4000-8000-0000000000" + (number < 10 ? "0" : "") + "\(number)"
        }
        return text
    }

    private mutating func happen() async throws {
        try at("2030-08-25T08:00:00Z")
        try await sends(
            "PUT", "/v1/catalog", try Fixture.text("terminal/catalog.yaml"),
            headers: ["Content-Type": "application/yaml", "If-Match": "\"0\""])
        for number in 1...9 {
            try at("2030-09-1\(number)T10:00:00Z")
            try await delivers(number, Self.left(afterMonths: number % 5 + 1))
            try await asks("comeback-half-price", number, expecting: 201, 403)
        }
        for number in [2, 4, 8] {
            try at("2030-09-2\(number)T10:00:00Z")
            let redeemed = Self.redeemed("2030-09-2\(number)T09:00:00Z")
            try await delivers(number, Self.left(afterMonths: number % 5 + 1) + redeemed)
        }
        try await complains()
        try await delivers(31, Self.subscribed)
        try await asks("comeback-half-price", 31, expecting: 403)
        try await asks("comeback-half-price", 99, expecting: 422)
        try await sends("POST", "/v1/offers/loyal-yearly-for-teams-of-ten-and-more/pause", nil)
        try at(Self.now)
    }

    /// The history behind a customer's complaint: issued by mistake, issued again, redeemed, refunded, refused.
    private mutating func complains() async throws {
        let left = Self.left(afterMonths: 5)
        try at("2030-09-29T10:00:00Z")
        try await delivers(21, left)
        try await sends(
            "PUT", "/v1/customers/attributes",
            #"{"customer":{"customerId":"\#(Self.customer)"},"attributes":{"seats":12,"team":"Führungskräfte"}}"#)
        let issued = try await asks("comeback-half-price", 21, expecting: 201)["issuedOfferId"] as? String ?? ""
        try at("2030-09-29T11:30:00Z")
        try await sends(
            "POST", "/v1/issued-offers/\(issued)/void", #"{"reason":"issued in the wrong app account","release":true}"#)
        try at("2030-09-30T08:00:00Z")
        try await asks("comeback-half-price", 21, expecting: 201)
        let redeemed = left + Self.redeemed("2030-09-30T08:05:00Z")
        try at("2030-09-30T08:10:00Z")
        try await delivers(21, redeemed)
        try at("2030-11-02T09:00:00Z")
        try await delivers(
            21, redeemed + ["renew: {}", "refund: { at: 2030-11-02T08:00:00Z, reason: appIssue }"])
        try at("2030-11-19T18:00:00Z")
        try await asks("comeback-half-price", 21, expecting: 403)
        try await asks("welcome-trial", 21, product: "com.example.pro.yearly", expecting: 403)
    }

    private static let monthly = "product: com.example.pro.monthly, group: \"21500001\""

    /// A trial, that many paid months, and the end.
    private static func left(afterMonths months: Int) -> [String] {
        [
            "appTransaction: { at: 2030-01-05T09:00:00Z }",
            """
            trial: { \(monthly), at: 2030-01-05T09:00:00Z, length: P1W, period: P1M, \
            price: { amount: "9.99", currency: USD } }
            """,
            "renew: { times: \(months) }", "cancel: { at: 2030-0\(months)-17T09:00:00Z }", "expire: {}",
        ]
    }

    private static func redeemed(_ moment: String) -> [String] {
        [
            """
            redeem: { type: promotional, offerIdentifier: comeback50, at: \(moment), paymentMode: payAsYouGo, \
            period: P1M, periodCount: 3, price: { amount: "4.99", currency: USD } }
            """
        ]
    }

    private static let subscribed = [
        "appTransaction: { at: 2030-05-02T09:00:00Z }",
        "buy: { \(monthly), at: 2030-05-02T09:00:00Z, period: P1M, price: { amount: \"9.99\", currency: USD } }",
        "renew: { times: 6 }",
    ]

    private mutating func at(_ moment: String) throws {
        clock = try Instant.argument(moment)
        try installation.directory.write("\(clock.milliseconds)\n", to: "clock")
    }

    /// The backend sends all that the App Store has signed about a customer until now.
    private func delivers(_ number: Int, _ steps: [String]) async throws {
        let scenario = """
            bundleId: com.example.pro
            customer: { appTransactionId: "70400000\(number)", appAccountToken: \(Self.token(number)) }
            steps:
            \(steps.map { "  - \($0)" }.joined(separator: "\n"))
            """
        let signed = try installation.appStore.sign(ScenarioReader.read(Array(scenario.utf8)).value, now: clock)
        let body = try JSONSerialization.data(withJSONObject: [
            "signedTransactions": signed.signedTransactions, "signedRenewalInfo": signed.signedRenewalInfo,
            "signedAppTransaction": signed.signedAppTransaction ?? "", "historyComplete": true,
            "customer": ["appAccountToken": Self.token(number), "customerId": Self.customerId(number)],
        ])
        try await sends("POST", "/v1/transactions", String(decoding: body, as: UTF8.self))
    }

    @discardableResult
    private func asks(
        _ offer: String, _ number: Int, product: String = "com.example.pro.monthly", expecting statuses: Int...
    ) async throws -> [String: Any] {
        try await sends(
            "POST", "/v1/issued-offers",
            #"{"offerId":"\#(offer)","productId":"\#(product)","customer":{"customerId":"\#(Self.customerId(number))"}}"#,
            expecting: statuses)
    }

    @discardableResult
    private func sends(
        _ method: String, _ path: String, _ body: String?, headers: [String: String] = [:],
        expecting statuses: [Int] = [200]
    ) async throws -> [String: Any] {
        let answer = try await server.ask(
            method, path, token: user.token, body: body, headers: headers, client: client)
        guard statuses.contains(answer.status) else {
            throw Installation.Failed(what: "\(method) \(path): \(String(decoding: answer.body, as: UTF8.self))")
        }
        return answer.json
    }

    private static func customerId(_ number: Int) -> String { number == 21 ? customer : "user-\(number)" }

    private static func token(_ number: Int) -> String {
        let digits = number < 10 ? "0\(number)" : "\(number)"
        return "\(digits)\(digits)\(digits)\(digits)-\(digits)\(digits)-4000-8000-0000000000\(digits)"
    }
}
