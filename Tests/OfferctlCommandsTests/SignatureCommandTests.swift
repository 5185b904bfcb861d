import Foundation
import OfferTestSupport
import Testing

@Suite("offerctl signature check without a server")
struct SignatureCommandTests {
    private static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let nonce = "0f8fad5b-d9cb-469f-a165-70867728950e"

    /// Signs with `openssl`, and asks `offerctl` about it.
    ///
    /// - Parameter product: the product that is signed; the app buys `com.example.pro.monthly`.
    private func check(
        product: String = "com.example.pro.monthly", timestamp: Int, _ more: [String] = []
    ) async throws -> Command {
        let directory = try TemporaryDirectory()
        let file = "SubscriptionKey_2X9R4HXF34.p8"
        let made = try Command.run(
            "openssl", ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", file],
            directory: directory.url)
        #expect(made.status == 0, "\(made.errorText)")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: directory.path(file))
        let fields = ["com.example.pro", "2X9R4HXF34", product, "comeback50", "", Self.nonce, String(timestamp)]
        let signed = try Command.run(
            "openssl", ["dgst", "-sha256", "-sign", file], input: Array(fields.joined(separator: "\u{2063}").utf8),
            directory: directory.url)
        let catalog = Self.root.appending(path: "Examples/catalog.yaml").path
        return try await OfferctlProcess.run(
            [
                "signature", "check", "--format", "v1", "--product", "com.example.pro.monthly", "--offer-identifier",
                "comeback50", "--key-id", "2X9R4HXF34", "--nonce", Self.nonce.uppercased(), "--timestamp",
                String(timestamp), "--signature", Data(signed.output).base64EncodedString(), "--key", file,
                "--bundle-id", "com.example.pro", "--catalog", catalog,
            ] + more, directory: directory.url)
    }

    @Test("a signature of openssl's is valid, over another product it names the product")
    func judged() async throws {
        let now = Int(Date().timeIntervalSince1970) * 1_000
        let valid = try await check(timestamp: now)
        #expect(valid.text == "valid: the signature is over what the app passed\n", "\(valid.errorText)")
        #expect(valid.status == 0)
        let other = try await check(product: "com.example.pro.yearly", timestamp: now, ["--json"])
        #expect(other.text.contains(#""code":"otherProduct""#), "\(other.text)\(other.errorText)")
        #expect(other.text.contains(#""certainty":"certain""#) && other.text.contains(#""verdict":"invalid""#))
        #expect(other.status == 1)
    }

    @Test("mistakes are named: a missing key file, an unreadable signature, an old timestamp, a bad catalog")
    func mistakes() async throws {
        let options = ["signature", "check", "--format", "v1", "--bundle-id", "com.example.pro", "--key"]
        let missing = try await OfferctlProcess.run(options + ["A=none.p8"])
        #expect(missing.status == 2 && missing.errorText.contains("none.p8"), "\(missing.errorText)")
        let old = try await check(timestamp: 1_700_000_000_000)
        #expect(old.status == 1 && old.text.contains("[expired]"), "\(old.text)")
        let now = Int(Date().timeIntervalSince1970) * 1_000
        let unreadable = try await check(timestamp: now, ["--signature", "not base64"])
        #expect(unreadable.status == 1 && unreadable.errorText.contains("the signature is not Base64 in `--signature`"))
        let catalog = try await check(timestamp: now, ["--catalog", "/dev/null"])
        #expect(catalog.status == 2 && catalog.errorText.hasPrefix("error: "), "\(catalog.errorText)")
    }
}
