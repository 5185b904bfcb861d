import OfferModel

extension SignatureJudge {
    /// The most verifications for one V1 signature, each about a tenth of a millisecond of a core. A right signature
    /// takes one; pairs of faults that do not fit are not tried, and those with the fewest combinations come first.
    static let maximumVerifications = 4_000
    /// The most products, and the most offers, of a catalog that are tried.
    private static let maximumCandidates = 50

    /// Checks a V1 signature by rebuilding the signed bytes, with one fault or two if they do not verify as they should
    /// be.
    func checkV1(_ passed: PassedSignature) throws(MalformedArtefact) -> Findings {
        var findings = Findings(format: .v1)
        var signature: PassedV1Signature?
        if let text = passed.signature {
            let read = try PassedV1Signature(text)
            signature = read
            read.checkEncoding(&findings)
        }
        if let timestamp = passed.timestamp { checkAge(timestamp, isInSeconds: false, &findings) }
        checkCatalog(passed.productId, passed.offerIdentifier, &findings)
        guard let signature, let productId = passed.productId, let offer = passed.offerIdentifier,
            let keyId = passed.keyId, let nonce = passed.nonce, let timestamp = passed.timestamp
        else {
            findings.missing = passed.missingForV1
            return findings
        }
        let token = passed.appAccountToken ?? ""
        let right = SignedBytes(
            fields: [
                bundleId.rawValue, keyId.rawValue, productId.rawValue, offer.rawValue,
                LowercaseUUID(token)?.description ?? token, LowercaseUUID(nonce)?.description ?? nonce,
                String(timestamp),
            ], signers: keys.filter { $0.key.keyId == keyId })
        guard let found = search(right, faults: faults(right, passed), signature) else {
            // A key that is not known here may be one that the App Store knows.
            findings.isVerified = right.signers.isEmpty ? nil : false
            addDoubts(right, &findings)
            return findings
        }
        findings.isVerified = found.causes.isEmpty
        // What is proven outranks what was only likely.
        findings.causes =
            found.causes + findings.causes.filter { cause in !found.causes.contains { $0.code == cause.code } }
        if !found.signer.isAccepted {
            findings.add(.otherKey, "key `\(found.signer.key.keyId)` is not for this app and environment")
        }
        return findings
    }

    /// Adds what may explain a signature that no rebuilt bytes verify.
    private func addDoubts(_ right: SignedBytes, _ findings: inout Findings) {
        if right.signers.isEmpty {
            findings.add(
                .otherKey, "key `\(right[.keyId])` is not known, and no known key made this signature", .likely)
        }
        if right[.token].isEmpty {
            findings.add(
                .tokenSignedNotPassed, "the app passed no appAccountToken; an unknown one may be signed", .likely)
        }
        if findings.causes.isEmpty {
            findings.add(
                .otherKey, "no known key made this signature over these values or over similar ones", .likely)
        }
    }

    /// The known faults, those that exclude each other in one list.
    private func faults(_ right: SignedBytes, _ passed: PassedSignature) -> [[SignedBytes.Fault]] {
        var issued: PromotionalOfferV1?
        if case .issued(let signed, _) = record { issued = signed }
        let faults = [
            timestampFaults(right, issued), nonceFaults(right, passed), tokenFaults(right, passed, issued),
            keyFaults(right),
            otherBundles.prefix(Self.maximumKeys).map { bundle in
                .other(.bundleId, bundle.rawValue, .otherBundle, "signed for the app `\(bundle)`, not `\(bundleId)`")
            },
            productFaults(right, issued), offerFaults(right, issued), SignedBytes.separatorFaults,
            SignedBytes.orderFaults,
        ]
        return faults.map { list in list.filter { $0.changes(right) } }
    }

    private func timestampFaults(_ right: SignedBytes, _ issued: PromotionalOfferV1?) -> [SignedBytes.Fault] {
        guard let passed = Int64(right[.timestamp]) else { return [] }
        var candidates = [passed / 1_000, passed.saturatingMultiplied(by: 1_000)]
        // The milliseconds were lost on the way.
        if let signed = issued?.timestamp,
            [signed.seconds, signed.seconds.saturatingMultiplied(by: 1_000)].contains(passed)
        {
            candidates.append(signed.milliseconds)
        }
        return candidates.map {
            .other(
                .timestamp, String($0), .timestampInSeconds, "the timestamp `\($0)` is signed, and `\(passed)` passed")
        }
    }

    private func nonceFaults(_ right: SignedBytes, _ passed: PassedSignature) -> [SignedBytes.Fault] {
        [right[.nonce].uppercased(), passed.nonce ?? ""].map {
            .other(.nonce, $0, .nonceCase, "the nonce is signed as `\($0)`, and the App Store compares lower case")
        }
    }

    private func tokenFaults(
        _ right: SignedBytes, _ passed: PassedSignature, _ issued: PromotionalOfferV1?
    ) -> [SignedBytes.Fault] {
        let token = right[.token]
        // What languages write for nothing.
        let nothing = ["null", "undefined", "nil", "None"]
        var faults: [SignedBytes.Fault] = []
        if token.isEmpty {
            faults += nothing.map {
                .other(.token, $0, .tokenSignedNotPassed, "the text `\($0)` is signed as the appAccountToken")
            }
        } else {
            faults += [token.uppercased(), token.lowercased(), passed.appAccountToken ?? token].map {
                .other(
                    .token, $0, .tokenCase,
                    "the appAccountToken is signed as `\($0)`, and the App Store compares `\(token)`")
            }
            faults += ([""] + nothing).map {
                .other(
                    .token, $0, .tokenPassedNotSigned,
                    "the app passed an appAccountToken, and \($0.isEmpty ? "none" : "the text `\($0)`") is signed")
            }
        }
        if let signed = issued?.appAccountToken?.description {
            faults.append(
                .other(
                    .token, signed, .tokenSignedNotPassed,
                    "the appAccountToken `\(signed)` is signed, and the app passed \(token.isEmpty ? "none" : "another")"
                ))
        }
        return faults
    }

    /// Another key, under its own id or the one passed, and the right key under another id.
    private func keyFaults(_ right: SignedBytes) -> [SignedBytes.Fault] {
        let passed = right[.keyId]
        let ids = Set(keys.map(\.key.keyId.rawValue)).subtracting([passed]).sorted()
        return keys.flatMap { known -> [SignedBytes.Fault] in
            let own = known.key.keyId.rawValue
            let named = own == passed ? ids : [own, passed]
            return named.map { id in
                let message =
                    own == passed
                    ? "the signed bytes name key `\(id)`, and the app passed `\(passed)`"
                    : "signed with key `\(own)`, and the app passed `\(passed)`"
                return SignedBytes.Fault(.otherKey, message) { ($0[.keyId], $0.signers) = (id, [known]) }
            }
        }
    }

    private func productFaults(_ right: SignedBytes, _ issued: PromotionalOfferV1?) -> [SignedBytes.Fault] {
        let listed = catalog?.subscriptionGroups.flatMap(\.products).prefix(Self.maximumCandidates) ?? []
        return ([issued?.productId].compactMap(\.self) + listed.map(\.productId)).map {
            .other(
                .productId, $0.rawValue, .otherProduct,
                "signed for product `\($0)`, and the app buys `\(right[.productId])`")
        }
    }

    private func offerFaults(_ right: SignedBytes, _ issued: PromotionalOfferV1?) -> [SignedBytes.Fault] {
        let listed = (catalog?.offers ?? []).prefix(Self.maximumCandidates)
        let names = [issued?.offerIdentifier].compactMap(\.self) + listed.compactMap(\.offerIdentifier)
        return (names.map(\.rawValue) + listed.map(\.id.rawValue)).map {
            .other(
                .offerIdentifier, $0, .otherOffer,
                "signed for offer `\($0)`, and the app passed `\(right[.offerIdentifier])`")
        }
    }

    /// Looks for the fewest faults with which the signature verifies: none, one, or two.
    private func search(
        _ right: SignedBytes, faults: [[SignedBytes.Fault]], _ signature: PassedV1Signature
    ) -> (causes: [SignatureDiagnosis.Cause], signer: KnownKey)? {
        var left = Self.maximumVerifications
        func signer(of bytes: SignedBytes) -> KnownKey? {
            let message = bytes.message
            return bytes.signers.first { known in
                left -= 1
                return left >= 0 && signature.isValid(of: message, by: known.key)
            }
        }
        if let signer = signer(of: right) { return ([], signer) }
        for fault in faults.joined() {
            if let signer = signer(of: fault.applied(to: right)) { return ([fault.cause], signer) }
        }
        let pairs = faults.indices.flatMap { first in
            faults.indices.dropFirst(first + 1).map { (first: faults[first], second: faults[$0]) }
        }
        for pair in pairs.sorted(by: { $0.first.count * $0.second.count < $1.first.count * $1.second.count }) {
            for first in pair.first {
                let once = first.applied(to: right)
                for second in pair.second {
                    guard left > 0 else { return nil }
                    if let signer = signer(of: second.applied(to: once)) {
                        return ([first.cause, second.cause], signer)
                    }
                }
            }
        }
        return nil
    }
}

extension PassedSignature {
    fileprivate var missingForV1: [String] {
        let members: [(Member, Bool)] = [
            (.keyId, keyId != nil), (.nonce, nonce != nil), (.offerIdentifier, offerIdentifier != nil),
            (.productId, productId != nil), (.signature, signature != nil), (.timestamp, timestamp != nil),
        ]
        return members.filter { !$0.1 }.map(\.0.rawValue)
    }
}

/// The bytes that a V1 signature may be over, and whose it may be.
private struct SignedBytes: Sendable {
    /// The fields of ``PromotionalOfferV1``, in their right order.
    enum Field: Int, CaseIterable, Sendable {
        case bundleId, keyId, productId, offerIdentifier, token, nonce, timestamp
    }

    var fields: [String]
    var signers: [SignatureJudge.KnownKey]
    var order = Field.allCases
    var separator = "\u{2063}"

    subscript(field: Field) -> String {
        get { fields[field.rawValue] }
        set { fields[field.rawValue] = newValue }
    }

    var message: [UInt8] { Array(order.map { self[$0] }.joined(separator: separator).utf8) }

    /// One way in which the bytes can be wrong.
    struct Fault: Sendable {
        let cause: SignatureDiagnosis.Cause
        let change: @Sendable (inout SignedBytes) -> Void

        init(
            _ code: SignatureDiagnosis.Code, _ message: String,
            _ change: @escaping @Sendable (inout SignedBytes) -> Void
        ) {
            (cause, self.change) = (ArtefactFormat.v1.cause(code, message), change)
        }

        static func other(
            _ field: Field, _ text: String, _ code: SignatureDiagnosis.Code, _ message: String
        ) -> Fault {
            Fault(code, message) { $0[field] = text }
        }

        func applied(to bytes: SignedBytes) -> SignedBytes {
            var changed = bytes
            change(&changed)
            return changed
        }

        /// Whether it makes a difference: a fault that does not must not be named.
        func changes(_ right: SignedBytes) -> Bool {
            cause.code == .otherKey || applied(to: right).message != right.message
        }
    }

    /// How the separator is written by languages and libraries that do not mean the character.
    static let separatorFaults = [
        "\\u2063", "\\\\u2063", "\\u{2063}", "\\x{2063}", "U+2063", "%E2%81%A3", "%e2%81%a3", "&#8291;", "&#x2063;",
        // Its UTF-8 read as Latin-1.
        "\u{E2}\u{81}\u{A3}",
    ].map { text in
        Fault(.separatorEscaped, "the fields are separated by the text `\(text)`") { $0.separator = text }
    }

    /// Two fields exchanged, or one moved.
    static let orderFaults: [Fault] = {
        let fields = Field.allCases
        var orders: [[Field]] = []
        for first in fields.indices {
            for second in fields.indices where second != first {
                var (exchanged, moved) = (fields, fields)
                exchanged.swapAt(first, second)
                moved.insert(moved.remove(at: first), at: second)
                for order in [exchanged, moved] where !orders.contains(order) { orders.append(order) }
            }
        }
        return orders.map { order in
            let names = order.map { $0 == .token ? "appAccountToken" : "\($0)" }.joined(separator: ", ")
            return Fault(.fieldOrder, "the fields are signed in the order \(names)") { $0.order = order }
        }
    }()
}

/// A V1 signature in whatever encoding it was passed.
private struct PassedV1Signature {
    private let bytes: [UInt8]
    private let isRaw: Bool
    private let isEncodedTwice: Bool
    private let encoding: LenientBase64

    init(_ text: String) throws(MalformedArtefact) {
        guard text.utf8.count <= SignatureJudge.longestText, let outer = LenientBase64(text) else {
            throw MalformedArtefact(
                member: .signature, detail: "the signature is not Base64",
                hint: "copy it as the app passed it, without spaces and line breaks; encode bytes in Base64")
        }
        let inner = String(validating: outer.bytes, as: UTF8.self).flatMap { LenientBase64($0) }
        encoding = inner ?? outer
        bytes = encoding.bytes
        isEncodedTwice = inner != nil
        isRaw = bytes.count == 64
    }

    func isValid(of message: [UInt8], by key: any SigningKey) -> Bool {
        isRaw ? key.isValid(rawSignature: bytes, of: message) : key.isValid(derSignature: bytes, of: message)
    }

    func checkEncoding(_ findings: inout SignatureJudge.Findings) {
        if isEncodedTwice { findings.add(.doubleBase64, "the signature is encoded in Base64 twice") }
        if encoding.isURLSafe {
            findings.add(.base64url, "the signature has `-` or `_`, the alphabet of base64url")
        } else if !encoding.isPadded {
            // A double click does not select it, so support may have lost it.
            findings.add(.base64url, "the signature has no padding", .likely)
        }
        if isRaw { findings.add(.rawSignature, "the signature is the 64 bytes R‖S, and V1 needs ASN.1 DER") }
    }
}
