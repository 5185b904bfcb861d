import CommandLineSupport
import Foundation
import OfferModel
import OfferSigning
import OfferTestSupport
import OpenSSLCrypto
import Testing

/// A developer's files in Xcode: a StoreKit configuration file with its key, and the certificate that signs purchases.
struct StoreKitProject {
    static let app = "com.example.pro"

    let directory: TemporaryDirectory
    private let xcode: CertifiedKey

    init() throws {
        directory = try TemporaryDirectory()
        xcode = try Self.certificate()
        try directory.write(Data(xcode.certificateDER), to: "Xcode.cer")
        try write(key: "prime256v1")
    }

    static func certificate() throws -> CertifiedKey {
        let now = Instant.wallClock
        return try CertifiedKey.selfSigned(
            CertificateProfile(
                commonName: "StoreKit Testing in Xcode", notBefore: now.adding(milliseconds: -86_400_000),
                notAfter: now.adding(milliseconds: 86_400_000), isAuthority: true, pathLength: 0))
    }

    /// Writes `Store.storekit` with a new key, and its public half to `key.pub`.
    ///
    /// - Parameter change: what is different in the file.
    func write(key curve: String, change: (String) -> String = { $0 }) throws {
        let script = """
            openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:\(curve) 2>/dev/null >key.pem &&
            openssl pkey -in key.pem -pubout -out key.pub &&
            openssl pkcs8 -topk8 -nocrypt -in key.pem -outform DER | base64 -w0
            """
        let made = try Command.run("sh", ["-c", script], directory: directory.url)
        try #require(made.status == 0, "\(made.errorText)")
        // As Xcode writes it.
        let key = made.text.replacing("/", with: #"\/"#)
        try directory.write(
            change(try Fixture.text("Store.storekit")).replacing("KEY", with: key), to: "Store.storekit")
    }

    static let arguments = [
        "dev", "--storekit", "Store.storekit", "--certificate", "Xcode.cer", "--app", app, "--listen", "127.0.0.1:0",
    ]

    func start(_ arguments: [String] = []) async throws -> RunningServer {
        try await RunningServer.start(
            [Installation.offerd.path] + Self.arguments + arguments, in: directory, lines: 5)
    }

    /// Runs the command as it is expected to fail.
    func failure(_ arguments: [String] = Self.arguments) async throws -> Command {
        try await Installation.offerd.run(arguments, directory: directory.url)
    }

    /// A purchase as Xcode signs it.
    func transaction(signedBy other: CertifiedKey? = nil, account: String) throws -> String {
        let now = Instant.wallClock.milliseconds
        let payload = """
            {"inAppOwnershipType":"PURCHASED","purchaseDate":\(now - 1_000).7297,"subscriptionGroupIdentifier":"6F3A93AB",\
            "signedDate":\(now - 500).485,"originalPurchaseDate":\(now - 1_000).7297,"isUpgraded":false,"quantity":1,\
            "transactionId":"0","originalTransactionId":"0","webOrderLineItemId":"0","transactionReason":"PURCHASE",\
            "type":"Auto-Renewable Subscription","productId":"com.example.pro.monthly","environment":"Xcode",\
            "expiresDate":\(now + 2_592_000_000).7297,"storefrontId":"143443","storefront":"DEU",\
            "bundleId":"\(Self.app)","appAccountToken":"\(account)"}
            """
        let key = other ?? xcode
        let header =
            #"{"kid":"Apple_Xcode_Key","typ":"JWT","alg":"ES256","x5c":["\#(Base64.encode(key.certificateDER))"]}"#
        let input = "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(payload.utf8)))"
        return "\(input).\(Base64URL.encode(try key.rawSignature(of: Array(input.utf8))))"
    }
}
