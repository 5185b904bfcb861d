import FoundationEssentials
public import OfferModel
public import OfferSigning

/// A payload that can be read from JSON members.
protocol PayloadReadable {
    static var kind: PayloadKind { get }
    init(members: PayloadMembers) throws(SignedDataRefusal)
}

/// The one place where payload JSON is taken apart.
struct PayloadJSON {
    private let bytes: [UInt8]
    /// The members, where a decoder is not needed to find them.
    private let plain: PlainPayload?

    /// - Parameters:
    ///   - kind: what the payload should be; a longer one than any of this kind is refused.
    ///   - triesPlain: whether to read what is in the plain form without a decoder; both ways give the same.
    init(_ bytes: [UInt8], kind: PayloadKind, triesPlain: Bool = true) throws(SignedDataRefusal) {
        let most = kind.maximumPayloadBytes
        guard bytes.count <= most else {
            throw SignedDataRefusal(.malformedPayload, "the payload has \(bytes.count) bytes, more than \(most)")
        }
        self.bytes = bytes
        plain = triesPlain ? PlainPayload(bytes) : nil
    }

    static func read<Payload: PayloadReadable>(
        _ type: Payload.Type, from bytes: [UInt8]
    ) throws(SignedDataRefusal) -> Payload {
        try PayloadJSON(bytes, kind: Payload.kind).read(type)
    }

    /// Reads the payload, or one part of it.
    func read<Payload: PayloadReadable>(_ type: Payload.Type) throws(SignedDataRefusal) -> Payload {
        guard let plain else {
            return try Self.refusing { try JSONDecoder().decode(Envelope<Payload>.self, from: Data(bytes)).payload }
        }
        let members = PayloadMembers(plain, kind: Payload.kind)
        try members.requireKind()
        return try Payload(members: members)
    }

    /// What is wrong with JSON, in words.
    static func refusing<Value>(_ decode: () throws -> Value) throws(SignedDataRefusal) -> Value {
        do {
            return try decode()
        } catch let refusal as SignedDataRefusal {
            throw refusal
        } catch DecodingError.typeMismatch, DecodingError.valueNotFound {
            throw SignedDataRefusal(.malformedPayload, "the payload is not a JSON object")
        } catch {
            throw SignedDataRefusal(.malformedPayload, "the payload is not JSON")
        }
    }

    private struct Envelope<Payload: PayloadReadable>: Decodable {
        let payload: Payload

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: MemberName.self)
            let members = PayloadMembers(container, kind: Payload.kind)
            try members.requireKind()
            payload = try Payload(members: members)
        }
    }
}

/// Only the date of a payload: what is needed before its signature can be checked.
struct SigningDate<Payload: PayloadReadable>: PayloadReadable {
    let date: Instant

    static var kind: PayloadKind { Payload.kind }

    init(members: PayloadMembers) throws(SignedDataRefusal) {
        date = try members.signingDate()
    }
}

extension Transaction {
    /// Reads Apple's `JWSTransactionDecodedPayload` as JSON, without judging whether anybody signed it.
    ///
    /// - Throws: ``SignedDataRefusal`` with `malformedPayload`, naming the member, or `missingSignedDate`.
    public init(payload bytes: [UInt8]) throws(SignedDataRefusal) {
        self = try PayloadJSON.read(Self.self, from: bytes)
    }
}

extension RenewalInfo {
    /// Reads Apple's `JWSRenewalInfoDecodedPayload` as JSON, without judging whether anybody signed it.
    ///
    /// - Throws: ``SignedDataRefusal`` with `malformedPayload`, naming the member, or `missingSignedDate`.
    public init(payload bytes: [UInt8]) throws(SignedDataRefusal) {
        self = try PayloadJSON.read(Self.self, from: bytes)
    }
}

extension AppTransaction {
    /// Reads Apple's decoded app transaction as JSON, without judging whether anybody signed it.
    ///
    /// - Throws: ``SignedDataRefusal`` with `malformedPayload`, naming the member, or `missingSignedDate`.
    public init(payload bytes: [UInt8]) throws(SignedDataRefusal) {
        self = try PayloadJSON.read(Self.self, from: bytes)
    }
}

extension AppStoreNotification {
    /// Reads Apple's `responseBodyV2DecodedPayload` as JSON, without judging whether anybody signed it.
    ///
    /// - Throws: ``SignedDataRefusal`` with `malformedPayload`, naming the member, or `missingSignedDate`.
    public init(payload bytes: [UInt8]) throws(SignedDataRefusal) {
        self = try PayloadJSON.read(Self.self, from: bytes)
    }
}
