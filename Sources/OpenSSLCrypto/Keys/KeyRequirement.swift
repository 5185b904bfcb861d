/// What every key of ours must be: elliptic, on P-256, and in itself sound.
enum KeyRequirement {
    static func requireP256(_ handle: KeyHandle, source: String) throws(SigningKeyError) {
        guard handle.isEllipticCurve else {
            throw SigningKeyError(
                .notEllipticCurve, "\(source) is not an elliptic-curve key",
                hint: "the App Store signs with P-256: use the In-App Purchase key from App Store Connect")
        }
        guard !handle.isGivenByParameters else {
            throw SigningKeyError(
                .explicitCurve, "\(source) spells its curve out in numbers instead of naming it",
                hint:
                    "name it with `openssl pkey -in KEY -ec_param_enc named_curve -out NEWKEY` and chmod 600 NEWKEY"
            )
        }
        let curve = handle.curve
        guard curve == KeyHandle.p256 else {
            throw SigningKeyError(
                .wrongCurve, "\(source) is on the curve `\(curve ?? "unnamed")`, not on P-256",
                hint: "use the In-App Purchase key from App Store Connect, which is on P-256 (`prime256v1`)"
            )
        }
    }

    /// Signs and verifies once, so that a key whose halves do not match is found at load and not by a customer.
    static func requireSound(
        _ handle: KeyHandle, _ context: SigningContext, source: String
    ) throws(SigningKeyError) {
        let message = Array("offerd key self-test".utf8)
        if let signature = try? context.signature(of: message),
            handle.isValid(derSignature: signature, of: message)
        {
            return
        }
        throw SigningKeyError(
            .selfTestFailed,
            "\(source) does not verify what it signs: its public half belongs to another key",
            hint: "download the key again, or restore it from where it is kept")
    }
}
