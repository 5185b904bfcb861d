import AppStoreData
import OfferAPI
import OfferHTTP
import OfferModel
import OfferSigning
import OpenSSLCrypto
import ReaderFuzzing

/// Gives bodies of up to 256 KiB to what reads requests that anyone can send, up to the check of a signature
/// (invariant 10): none may take longer than ``longestMilliseconds``, whatever it repeats.
///
/// The first letter of an input names the request:
///
/// - `n`: a notification, `p`: its payload, under a genuine chain, `h`: the header of its JWS
/// - `i`, `d`, `s`, `t`: what an `app` key sends to issue an offer, to decide, for a status, and as transactions
///
/// The rest is the body if the second letter is `b`. After `r` it is three parts between NULs: a beginning, a piece that is
/// repeated until the body is full, with its number in place of each `#`, and an end.
struct BodyFuzzing {
    /// Of processor time, for one body in a build with sanitizers.
    static let longestMilliseconds = 20.0
    private static let longest = 256 * 1_024
    private static let now = Instant(milliseconds: 1_780_000_000_000)

    struct Body {
        let reader: UInt8
        let bytes: [UInt8]
    }

    private let reader: SignedDataReader
    private let header: String

    init() throws {
        let chain = try FuzzedChain()
        reader = SignedDataReader(
            verifier: try AppStoreChainVerifier(additionalRoots: [.localTesting: [chain.certificates[2]]]),
            bundleId: "com.example.pro", appAppleId: nil, environment: .localTesting)
        header = Base64URL.encode(FuzzedChain.header(chain.certificates))
    }

    /// The body that an input describes; `nil` if it describes none.
    func body(of input: [UInt8]) -> Body? {
        guard input.count > 2 else { return nil }
        let rest = Array(input.dropFirst(2))
        // Of a JWS three quarters are its bytes.
        let room =
            [UInt8(ascii: "p"), UInt8(ascii: "h")].contains(input[0]) ? Self.longest * 3 / 4 - 8_192 : Self.longest
        switch input[1] {
        case UInt8(ascii: "b"): return Body(reader: input[0], bytes: whole(Array(rest.prefix(room)), for: input[0]))
        case UInt8(ascii: "r"):
            let parts = rest.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, !parts[1].isEmpty else { return nil }
            return Body(reader: input[0], bytes: whole(filled(parts, room), for: input[0]))
        default: return nil
        }
    }

    private func filled(_ parts: [ArraySlice<UInt8>], _ room: Int) -> [UInt8] {
        var bytes = Array(parts[0])
        var number = 0
        while bytes.count + parts[1].count + 8 + parts[2].count < room {
            for byte in parts[1] {
                if byte == UInt8(ascii: "#") { bytes += Array(String(number).utf8) } else { bytes.append(byte) }
            }
            number += 1
        }
        return Array((bytes + parts[2]).prefix(room))
    }

    private func whole(_ bytes: [UInt8], for reader: UInt8) -> [UInt8] {
        let signature = Base64URL.encode([UInt8](repeating: 1, count: 64))
        switch reader {
        case UInt8(ascii: "p"):
            return Array("{\"signedPayload\":\"\(header).\(Base64URL.encode(bytes)).\(signature)\"}".utf8)
        case UInt8(ascii: "h"): return Array("{\"signedPayload\":\"\(Base64URL.encode(bytes)).e30.\(signature)\"}".utf8)
        default: return bytes
        }
    }

    func read(_ body: Body) {
        switch body.reader {
        case UInt8(ascii: "n"), UInt8(ascii: "p"), UInt8(ascii: "h"):
            guard let notification = try? NotificationRequestBody.read(body.bytes) else { return }
            _ = try? reader.notification(notification.signedPayload, now: Self.now)
        case UInt8(ascii: "i"): examine(try? SignedDelivery.ofApp(body.bytes, IssueRequest.self))
        case UInt8(ascii: "d"): examine(try? SignedDelivery.ofApp(body.bytes, Inquiry.self))
        case UInt8(ascii: "s"): examine(try? SignedDelivery.ofApp(body.bytes, StatusRequestBody.self))
        case UInt8(ascii: "t"): examine(try? SignedDelivery.ofApp(body.bytes, TransactionsRequestBody.self))
        default: return
        }
    }

    /// Looks at all data before any of it costs public-key work, as the server does.
    private func examine(_ delivery: SignedDelivery?) {
        guard let delivery else { return }
        for jws in delivery.signedTransactions {
            guard (try? reader.examine(transaction: jws, now: Self.now)) != nil else { return }
        }
        for jws in delivery.signedRenewalInfo {
            guard (try? reader.examine(renewalInfo: jws, now: Self.now)) != nil else { return }
        }
        if let jws = delivery.signedAppTransaction { _ = try? reader.examine(appTransaction: jws, now: Self.now) }
    }
}
