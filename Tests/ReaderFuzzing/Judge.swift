import AppStoreData
import OfferModel
import OfferSigning

/// Reads what was delivered and holds every answer to what readers promise.
struct Judge {
    /// The expected owner of the data.
    let environment: AppStoreEnvironment
    /// The data that may be accepted.
    let delivered: Delivered
    private let reader: SignedDataReader

    init(environment: AppStoreEnvironment, delivered: Delivered, verifier: any SignedDataVerifier) {
        self.environment = environment
        self.delivered = delivered
        reader = SignedDataReader(
            verifier: environment == .production ? ProductionStandIn(verifier: verifier) : verifier,
            bundleId: ReaderFuzzing.app, appAppleId: ReaderFuzzing.appAppleId, environment: environment)
    }

    /// A reader's result for a delivery, and for the signed data inside it.
    func outcome(for kind: FuzzedReader) throws -> Outcome {
        try outcome(of: delivered.text, for: kind)
    }

    private func outcome(of text: String, for kind: FuzzedReader) throws -> Outcome {
        let reading: Reading
        do throws(SignedDataRefusal) {
            reading = try kind.read(text, by: reader, now: ReaderFuzzing.now)
        } catch {
            try checkWords(of: error)
            return .refused(error.code)
        }
        try checkSignature(of: reading, text)
        try checkClaims(of: reading, kind)
        try checkUnsigned(reading, kind)
        for (kind, part) in reading.payload.signedParts { _ = try outcome(of: part, for: kind) }
        return .accepted(jws: text)
    }

    /// A refusal has one line of words, which go into answers and logs.
    private func checkWords(of refusal: SignedDataRefusal) throws(BrokenPromise) {
        let words = refusal.detail
        guard !words.isEmpty, words.utf8.count <= SignedDataRefusal.longestDetail else {
            throw BrokenPromise("`\(refusal.code.rawValue)` has words of \(words.utf8.count) bytes")
        }
        guard words.unicodeScalars.allSatisfy({ $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }) else {
            throw BrokenPromise("the words of `\(refusal.code.rawValue)` hold a control character")
        }
    }

    /// Whatever is accepted was signed, to the byte (invariant 6).
    private func checkSignature(of reading: Reading, _ text: String) throws(BrokenPromise) {
        guard let signed = delivered.genuine[text] else { throw BrokenPromise("accepted what nobody signed") }
        guard reading.bytes == signed, reading.jws == text else {
            throw BrokenPromise("accepted other bytes than those that were signed")
        }
    }

    /// Whatever is accepted says whose it is, and that it was not signed in the future (invariant 6).
    private func checkClaims(of reading: Reading, _ kind: FuzzedReader) throws(BrokenPromise) {
        let apps = reading.payload.apps
        guard apps.allSatisfy({ $0 == ReaderFuzzing.app }), kind == .renewalInfo || !apps.isEmpty else {
            throw BrokenPromise("accepted data of the apps \(apps)")
        }
        let environments = reading.payload.environments
        guard environments.allSatisfy({ $0 == environment.rawValue }), !environments.isEmpty else {
            throw BrokenPromise("accepted data of the environments \(environments) for \(environment)")
        }
        guard reading.date <= ReaderFuzzing.now.adding(milliseconds: 60_000) else {
            throw BrokenPromise("accepted data of \(reading.date)")
        }
    }

    /// Signed or stated, in this spelling or in another: the same JSON says the same.
    private func checkUnsigned(_ reading: Reading, _ kind: FuzzedReader) throws(BrokenPromise) {
        for (name, bytes) in [("stated", reading.bytes), ("rewritten", OtherParser.rewritten(reading.bytes))] {
            guard let bytes else { continue }
            let payload: Payload
            do throws(SignedDataRefusal) {
                payload = try kind.read(payload: bytes)
            } catch {
                throw BrokenPromise("accepted, but refused when \(name): \(error)")
            }
            guard payload == reading.payload else {
                throw BrokenPromise("read otherwise when \(name): \(payload), not \(reading.payload)")
            }
        }
    }
}
