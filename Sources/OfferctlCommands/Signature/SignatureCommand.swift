public import ArgumentParser
import CommandLineSupport
import Foundation
import OfferAPI
import OfferDocuments
public import OfferModel
import OfferSigning
import OpenSSLCrypto

struct SignatureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signature",
        abstract: "Explain why StoreKit refuses a signature.",
        discussion: """
            Example:
              offerctl signature check --format v2 --jws "$jws"
            """,
        subcommands: [SignatureCheck.self])
}

struct SignatureCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Verify a signature, and name the cause if StoreKit refuses it.",
        discussion: """
            Give exactly what the app passed to StoreKit: for v1 the product, the offer identifier, the key ID, the nonce, \
            the timestamp, the signature and, if the app passes one, the appAccountToken; for v2 and \
            introductoryEligibility the JWS. Needs a key with the role support.

            With --key and --bundle-id no server is called. Nonces and customers are not looked up then, and other \
            products and offers are known only from --catalog.

            Exit status: 0 if the signature is valid, 1 if it is not or if something is missing to decide.

            Example:
              offerctl signature check --format v2 --jws "$jws"
              offerctl signature check --format v1 --signature "$signature"
            """)

    @Option(help: "What the app passed to StoreKit.")
    var format: ArtefactFormat

    @Option(help: ArgumentHelp("The product that the app buys.", valueName: "id"))
    var product: String?

    @Option(help: ArgumentHelp("The offer, by its identifier in App Store Connect.", valueName: "id"))
    var offerIdentifier: String?

    @Option(help: ArgumentHelp("The key ID.", valueName: "id"))
    var keyId: String?

    @Option(help: ArgumentHelp("The nonce, in any case.", valueName: "uuid"))
    var nonce: String?

    @Option(help: ArgumentHelp("The timestamp, as passed.", valueName: "number"))
    var timestamp: Int64?

    @Option(help: ArgumentHelp("The appAccountToken, if the app passes one.", valueName: "uuid"))
    var appAccountToken: String?

    @Option(help: ArgumentHelp("The V1 signature, in Base64.", valueName: "base64"))
    var signature: String?

    @Option(help: ArgumentHelp("The compact JWS.", valueName: "jws"))
    var jws: String?

    @OptionGroup(title: "Without a server") var local: LocalJudgeOptions
    @OptionGroup var answer: AnswerOptions

    private var passed: PassedSignature {
        var passed = PassedSignature(format: format)
        passed.productId = product.map { ProductId($0) }
        passed.offerIdentifier = offerIdentifier.map { OfferIdentifier($0) }
        passed.keyId = keyId.map { KeyId($0) }
        (passed.nonce, passed.timestamp, passed.appAccountToken) = (nonce, timestamp, appAccountToken)
        (passed.signature, passed.jws) = (signature, jws)
        return passed
    }

    mutating func validate() throws {
        if let other = passed.membersOfOtherFormats.first {
            let option = CLITerms.options[other.rawValue] ?? other.rawValue
            throw ValidationError("the format `\(format.rawValue)` has no `\(option)`")
        }
        if let nonce, LowercaseUUID(nonce) == nil { throw ValidationError("the nonce `\(nonce)` is not a UUID") }
    }

    func run() async throws {
        let passed = passed
        let diagnosis: SignatureDiagnosis
        if let judge = try local.judge() {
            do throws(MalformedArtefact) {
                diagnosis = try judge.diagnose(passed)
            } catch {
                throw CommandFailure(.failed, "\(error.detail) in `--\(error.member.rawValue)`", hints: [error.hint])
            }
            let json = String(decoding: try WireJSON.encode(diagnosis), as: UTF8.self)
            Console.write(try answer.output.data(json) ?? answer.output.palette.wrap(text(diagnosis)))
        } else {
            diagnosis = try await answer.show { client in
                try await client.post("/v1/signature-checks", passed, as: SignatureDiagnosis.self)
            } text: {
                text($0)
            }
        }
        if diagnosis.verdict != .valid { throw CommandFailure.answeredNo }
    }

    private func text(_ diagnosis: SignatureDiagnosis) -> String {
        let palette = answer.output.palette
        let missing = (diagnosis.missing ?? []).map { "`\($0.printable)`" }.joined(separator: ", ")
        let title =
            switch diagnosis.verdict {
            case .valid: palette.paint("valid", .good) + ": the signature is over what the app passed"
            case .invalid: palette.paint("invalid", .bad) + ": StoreKit refuses this signature"
            case .unknown: palette.paint("unknown", .unsure) + ": not enough is known to decide"
            }
        let causes = diagnosis.causes.flatMap { cause in
            let isCertain = cause.certainty == .certain
            let mark = isCertain ? palette.paint("✗", .bad) : palette.paint("?", .unsure)
            return [
                "\(mark) \(isCertain ? "" : "likely: ")\(cause.message.printable)  "
                    + palette.paint("[\(cause.code.rawValue)]", .quiet),
                "    fix: " + cause.fix.printable,
            ]
        }
        // A JWS has all values in it, so what is missing is missing there.
        let absent = jws == nil ? "missing: " + CLITerms.hint(missing) : "the JWS lacks " + missing
        return ([title] + causes + (missing.isEmpty ? [] : [absent])).joined(separator: "\n")
    }
}

extension ArtefactFormat: ExpressibleByArgument {}

/// The judge's inputs if no server is called.
struct LocalJudgeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A private key, named `SubscriptionKey_ID.p8` or given as ID=FILE; can be repeated.", valueName: "file"),
        completion: .file(extensions: ["p8"]))
    var key: [String] = []

    @Option(help: ArgumentHelp("The app's bundle ID.", valueName: "id"))
    var bundleId: String?

    @Option(help: ArgumentHelp("The issuer ID; without it `iss` is not compared.", valueName: "uuid"))
    var issuerId: String?

    @Option(help: ArgumentHelp("Another app that may have been signed for; can be repeated.", valueName: "id"))
    var otherBundleId: [String] = []

    @Option(
        help: ArgumentHelp("The catalog file, to find other products and offers.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml", "json"]))
    var catalog: String?

    mutating func validate() throws {
        guard key.isEmpty == (bundleId == nil) else { throw ValidationError("give both `--key` and `--bundle-id`") }
        guard !key.isEmpty || (issuerId == nil && otherBundleId.isEmpty && catalog == nil) else {
            throw ValidationError("`--issuer-id`, `--other-bundle-id` and `--catalog` need `--key` and `--bundle-id`")
        }
    }

    /// The judge; `nil` to ask a server.
    func judge() throws -> SignatureJudge? {
        guard let bundleId else { return nil }
        let keys = try key.map { text in
            let (keyId, path) = try Self.source(text)
            do {
                return SignatureJudge.KnownKey(try OpenSSLSigningKey(file: path, keyId: keyId))
            } catch let error as SigningKeyError {
                throw CommandFailure(.usage, error.detail, hints: [error.hint])
            }
        }
        let document = try catalog.map { path in
            let read = ReadDocument(path) {
                try CatalogReader.read(InputFile.bytes(path), isJSON: CatalogFile.isJSON(path))
            }
            guard let catalog = read.value else { throw CommandFailure(.usage, lines: read.messages) }
            return catalog
        }
        return SignatureJudge(
            bundleId: BundleId(bundleId), issuerId: issuerId, keys: keys,
            otherBundles: otherBundleId.map { BundleId($0) }, catalog: document, now: .wallClock)
    }

    /// The key ID and the path in `ID=FILE`, or in a path that ends as App Store Connect names the file.
    private static func source(_ text: String) throws(CommandFailure) -> (KeyId, path: String) {
        if let match = text.wholeMatch(of: #/([A-Za-z0-9]+)=(.+)/#) {
            return (KeyId(String(match.output.1)), String(match.output.2))
        }
        guard let match = URL(filePath: text).lastPathComponent.wholeMatch(of: #/[A-Za-z]+Key_([A-Za-z0-9]+)\.p8/#)
        else {
            throw CommandFailure(
                .usage, "the name of `\(text)` does not say its key ID", hints: ["write `--key ID=\(text)`"])
        }
        return (KeyId(String(match.output.1)), text)
    }
}
