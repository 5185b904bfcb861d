import JSON
import OfferModel
import Synchronization

/// A JWS in compact serialisation (RFC 7515 §3.1), taken apart but not verified.
///
/// ```
/// base64url(header) "." base64url(payload) "." base64url(R‖S)
/// ^--------------- signing input ---------^
/// ```
public struct CompactJWS: Sendable, Hashable {
    /// The protected header's members that verification needs.
    public struct Header: Sendable, Hashable {
        /// The signature algorithm; of data from Apple only `ES256` is accepted.
        public var alg: String?
        /// The certificate chain in standard Base64 DER, leaf first.
        public var x5c: [String]?
        /// The key id; the App Store sends none.
        public var kid: String?
    }

    public let header: Header
    public let payload: [UInt8]
    public let signature: [UInt8]
    /// The ASCII bytes that were signed: everything before the second point.
    public let signingInput: [UInt8]

    /// Takes a compact JWS apart.
    ///
    /// - Throws: ``SignedDataRefusal`` with `malformedJws` if it is not three base64url parts with a JSON header of
    ///   usual size, or if the header has `crit`: no extension is understood here (RFC 7515 §4.1.11).
    public init(parsing text: String) throws(SignedDataRefusal) {
        let known = RecentHeaders.shared.header(of: text)
        let bytes = Array(text.utf8)
        guard let header = known?.length ?? bytes.firstIndex(of: Self.point),
            let payload = bytes[(header + 1)...].firstIndex(of: Self.point),
            bytes[(payload + 1)...].firstIndex(of: Self.point) == nil
        else {
            let parts = min(bytes.count { $0 == Self.point } + 1, 4)
            throw SignedDataRefusal(.malformedJws, "a compact JWS has 3 parts, this one has \(parts)")
        }
        try SignedDataRefusal.require(
            header <= Self.longestHeader, .malformedJws,
            "the header has \(header) bytes, more than \(Self.longestHeader)")
        guard let decodedHeader = known == nil ? Base64URL.decode(bytes[..<header]) : [] else {
            throw SignedDataRefusal(.malformedJws, "the header is not base64url")
        }
        guard let decodedPayload = Base64URL.decode(bytes[(header + 1)..<payload]) else {
            throw SignedDataRefusal(.malformedJws, "the payload is not base64url")
        }
        guard let decodedSignature = Base64URL.decode(bytes[(payload + 1)...]) else {
            throw SignedDataRefusal(.malformedJws, "the signature is not base64url")
        }
        if let known {
            self.header = known.header
        } else {
            self.header = try Self.readHeader(decodedHeader)
        }
        self.payload = decodedPayload
        signature = decodedSignature
        signingInput = Array(bytes[..<payload])
        if known == nil {
            RecentHeaders.shared.remember(self.header, text: String(decoding: bytes[..<header], as: UTF8.self))
        }
    }

    private static let point = UInt8(ascii: ".")

    /// The longest header as text, in bytes. Apple's have some 4,500, of which three certificates take nearly all.
    private static let longestHeader = 64 * 1_024
    /// A header is read before anything is known of its sender, so it must cost little whatever is in it.
    private static let headerForm = JSONForm.Limits(
        depth: 8, nameLength: 255, numberLength: 64, allowsRepeatedMembers: false, values: 64)

    private static func readHeader(_ header: [UInt8]) throws(SignedDataRefusal) -> Header {
        guard let members = try? JSONObject(header, headerForm), let read = try? Header(members) else {
            throw SignedDataRefusal(.malformedJws, "the header is not a JSON object of the expected form")
        }
        try SignedDataRefusal.require(
            !members.contains("crit"), .malformedJws,
            "the header's `crit` demands extensions that are not understood here")
        return read
    }
}

extension CompactJWS.Header {
    init(_ members: JSONObject) throws(JSONObject.WrongType) {
        alg = try members.text("alg")
        x5c = try members.texts("x5c")
        kid = try members.text("kid")
    }
}

/// Recently read protected headers: Apple signs all data of a time under one, with kilobytes of certificates in it.
///
/// The content of a header follows from its text alone, so an entry is never stale. There are few, so a sender of
/// ever new ones only causes them to be read again.
final class RecentHeaders: Sendable {
    static let shared = RecentHeaders()

    private static let capacity = 8
    /// Apple's have about four thousand bytes; longer ones are not worth the memory.
    private static let longest = 16 * 1_024

    private let entries = Mutex<[(text: String, header: CompactJWS.Header)]>([])

    /// The header that the data begins with, and its length; `nil` if it has to be read.
    func header(of text: String) -> (header: CompactJWS.Header, length: Int)? {
        entries.withLock { entries in
            for (known, header) in entries {
                let length = known.utf8.count
                guard let end = text.utf8.index(text.startIndex, offsetBy: length, limitedBy: text.utf8.endIndex),
                    end < text.utf8.endIndex, text.utf8[end] == UInt8(ascii: "."),
                    text[..<end].hasSameBytes(as: known)
                else { continue }
                return (header, length)
            }
            return nil
        }
    }

    /// Keeps a header with certificates; the earliest kept makes room.
    func remember(_ header: CompactJWS.Header, text: String) {
        guard header.x5c != nil, text.utf8.count <= Self.longest else { return }
        entries.withLock { entries in
            guard !entries.contains(where: { $0.text == text }) else { return }
            if entries.count >= Self.capacity { entries.removeFirst() }
            entries.append((text, header))
        }
    }
}
