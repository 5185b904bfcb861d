import OfferModel
import OfferSigning

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The kind of a text that was sent instead of a JWS, recognised by its beginning.
///
/// It is looked at only once it could not be read as a JWS, and a stranger may have sent megabytes: whatever is beyond
/// ``looked`` bytes is not decoded (docs/decisions/0062).
struct SentText {
    private static let looked = 1_024
    /// The longest header of a JWS, after which its first point comes.
    private static let longestHeader = 64 * 1_024

    private let head: [UInt8]
    /// Whether it has the form of a JWS, as far as a point shows: then what is wrong with its parts says more.
    private let hasParts: Bool

    init(_ text: String) {
        head = Array(text.utf8.prefix(Self.looked).drop { $0 <= 0x20 })
        hasParts = head.starts(with: "eyJ".utf8) && text.utf8.prefix(Self.longestHeader).contains(UInt8(ascii: "."))
    }

    /// A refusal that names the thing; `nil` if it looks like nothing that is known.
    var refusal: SignedDataRefusal? {
        guard !hasParts, let (noun, hint) = recognised else { return nil }
        return SignedDataRefusal(.malformedJws, "this is \(noun), not a JWS", hint: hint)
    }

    static let sendTheJWS =
        "send the JWS itself: `jwsRepresentation` of StoreKit 2, or the `signed…` member of Apple's answer"

    private var recognised: (noun: String, hint: String)? {
        guard let first = head.first else {
            return ("an empty text", "leave the member out if the device has no such data")
        }
        if let word = Self.emptyWords.first(where: { head.elementsEqual($0.utf8) }) {
            return ("the text `\(word)`", "leave the member out if the device has no such data")
        }
        switch first {
        case UInt8(ascii: "{"), UInt8(ascii: "["): return object(head)
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            return ("a text in quotes", "send the JWS without quotes around it: it was encoded as JSON twice")
        case UInt8(ascii: "0")...UInt8(ascii: "9") where head.allSatisfy(Self.isDigit):
            return ("a transaction's identifier", "name the customer by it in `customer`; " + Self.sendTheJWS)
        default: break
        }
        if begins("-----BEGIN") { return ("PEM, such as a certificate or a key", Self.sendTheJWS) }
        if begins("Bearer ") { return ("an API key or a token", Self.sendTheJWS) }
        if head.contains(".AO-J1O".utf8) {
            return (
                "a purchase token of Google Play",
                "send purchases of the App Store alone: Google's are not signed by Apple"
            )
        }
        return Self.decoded(head).flatMap(inBase64)
    }

    /// How languages write a missing value.
    private static let emptyWords = ["null", "undefined", "nil", "None", "[object Object]"]

    private func object(_ bytes: [UInt8]) -> (noun: String, hint: String) {
        if bytes.contains("\"signedPayload\"".utf8) {
            return (
                "a notification in JSON",
                "the App Store sends notifications to the notifications URL; forward them there unchanged"
            )
        }
        if bytes.contains("\"signature\" = ".utf8) { return Self.receipt }
        return ("decoded JSON, which proves nothing", Self.sendTheJWS)
    }

    /// The kind of the bytes that the text encodes in Base64.
    private func inBase64(_ bytes: [UInt8]) -> (noun: String, hint: String)? {
        if bytes.starts(with: "eyJ".utf8) { return ("a JWS in Base64", "send the JWS without encoding it again") }
        if bytes.first == UInt8(ascii: "{") {
            if bytes.contains("\"alg\"".utf8) {
                return ("a part of a JWS", "send all three parts of it, with the points between them")
            }
            let (noun, hint) = object(bytes)
            return (noun.hasPrefix("a StoreKit 1 receipt") ? noun : noun + ", in Base64", hint)
        }
        guard bytes.first == 0x30, bytes.count > 16 else { return nil }
        // ContentInfo of PKCS #7 (RFC 2315 §7) with the type `signedData`.
        let isReceipt = bytes.contains([0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02])
        return isReceipt ? Self.receipt : ("DER in Base64, such as a certificate", Self.sendTheJWS)
    }

    private static let receipt = (
        noun: "a StoreKit 1 receipt",
        hint:
            "send `jwsRepresentation` of StoreKit 2's transactions; `offerd import receipts` imports receipts that your "
            + "backend has kept"
    )

    /// The beginning of the bytes that a text in Base64 writes, in either alphabet and with lines.
    private static func decoded(_ text: [UInt8]) -> [UInt8]? {
        let symbols = text.filter { $0 > 0x20 }.prefix(256).map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }.prefix { $0 != UInt8(ascii: "=") }
        let whole = symbols.prefix(symbols.count / 4 * 4)
        guard !whole.isEmpty else { return nil }
        return Data(base64Encoded: Data(whole)).map(Array.init)
    }

    private func begins(_ text: String) -> Bool { head.starts(with: text.utf8) }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

/// The kind of a JWS without the expected data, by its header and the beginning of its payload.
struct SentJWS {
    private let jws: CompactJWS
    private let kind: PayloadKind
    private let environment: AppStoreEnvironment

    init(_ jws: CompactJWS, kind: PayloadKind, environment: AppStoreEnvironment) {
        self.jws = jws
        self.kind = kind
        self.environment = environment
    }

    /// The refusal of this JWS, with its kind, and the hint what to send or to set instead.
    func named(_ refusal: SignedDataRefusal) -> SignedDataRefusal {
        guard refusal.hint == nil else { return refusal }
        var named = refusal
        switch refusal.code {
        case .certificateCount where isOfXcode && environment != .xcode:
            named = SignedDataRefusal(
                .certificateCount,
                "this JWS was signed by Xcode: it has one certificate, where `x5c` of the App Store's has three",
                hint: "StoreKit Testing in Xcode needs an API key for `Xcode`, and Xcode's certificate under "
                    + "`trustedRoots` in keys.yaml")
        case .certificateCount where environment == .xcode:
            named.hint =
                "an API key for `Xcode` takes data of StoreKit Testing in Xcode; use one for "
                + "`\(Self.found(in: jws.payload) ?? "Sandbox")`"
        case .malformedPayload, .missingSignedDate, .unsupportedAlgorithm:
            guard let (noun, hint) = token else { return refusal }
            named = SignedDataRefusal(
                refusal.code, "this is \(noun), not \(kind.noun)", member: refusal.member, hint: hint)
        default: named.hint = hint(refusal.code)
        }
        return named
    }

    private var isOfXcode: Bool { jws.header.kid == "Apple_Xcode_Key" || jws.header.x5c?.count == 1 }

    private func hint(_ code: SignedDataRefusal.Code) -> String? {
        switch code {
        case .untrustedRoot where environment == .production:
            "Production takes what Apple signed alone; data of your own root needs an API key for `LocalTesting`"
        case .untrustedRoot where environment == .xcode:
            "in Xcode, open the StoreKit configuration file, choose Editor, Save Public Certificate, and name the file "
                + "under `trustedRoots` in keys.yaml"
        case .untrustedRoot where environment == .localTesting:
            "LocalTesting takes what a root of `trustedRoots` in keys.yaml signed; data of the App Store needs an API key "
                + "for `Sandbox` or `Production`"
        case .untrustedRoot:
            "Sandbox takes what Apple signed, or a root that keys.yaml names under `trustedRoots`"
        case .badSignature:
            "send the JWS exactly as StoreKit or the App Store Server API gave it: a part of it was changed"
        case .signedInFuture: "check the clocks of the service and of what signed the data"
        default: nil
        }
    }

    /// The kind of a payload that is not the App Store's.
    private var token: (noun: String, hint: String)? {
        let head = jws.payload.prefix(2_048)
        func has(_ text: String) -> Bool { head.contains(text.utf8) }
        guard !kind.marks.contains(where: { has("\"\($0)\"") }) else { return nil }
        if has("\"promotional-offer\"") || has("\"introductory-offer-eligibility\"") {
            return (
                "a signature that this service made for StoreKit",
                "pass it to StoreKit's purchase; here, send the customer's `jwsRepresentation`"
            )
        }
        if has("\"appstoreconnect-v1\"") {
            return ("a token for Apple's servers", "send what Apple answered to it, such as `signedTransactionInfo`")
        }
        guard has("\"iss\""), has("\"sub\"") || has("\"aud\"") else { return nil }
        return ("a login token", "send it in the header `Customer-Token`, beside the customer's signed data")
    }

    /// The environment that a payload names near its beginning, unverified: for a hint alone.
    private static func found(in payload: [UInt8]) -> String? {
        let head = String(decoding: payload.prefix(2_048), as: UTF8.self)
        return [AppStoreEnvironment.production, .sandbox].map(\.rawValue).first { head.contains("\"\($0)\"") }
    }
}
