import OfferModel
import Testing

@testable import OfferDocuments

@Suite("A key in a token")
struct TokenKeyTests {
    private func keys(_ source: String) -> String {
        """
        apps:
          - bundleId: com.example.pro
            issuerId: 57246542-96fe-1a63-e053-0824d011072a
            appAppleId: 1234567890
            environments: [Production]
            keys:
              - { keyId: 2X9R4HXF34, use: signing, privateKey: "\(source)" }

        """
    }

    @Test(
        "is named by a PKCS #11 URI, whose PIN is elsewhere",
        arguments: [
            (
                "pkcs11:token=offers;object=signing?pin-source=env:PIN",
                TokenKey(uri: "pkcs11:token=offers;object=signing", module: nil, pin: .environment("PIN"))
            ),
            (
                "pkcs11:id=%a1%FF;type=private?module-path=/usr/lib/a%20b.so&pin-source=file:/run/secrets/pin",
                TokenKey(
                    uri: "pkcs11:id=%a1%FF;type=private", module: "/usr/lib/a b.so", pin: .file("/run/secrets/pin"))
            ),
            (
                "pkcs11:object=my%20key;serial=3?pin-source=file:pin-value",
                TokenKey(uri: "pkcs11:object=my%20key;serial=3", module: nil, pin: .file("pin-value"))
            ),
        ])
    func read(text: String, token: TokenKey) throws {
        let keys = try KeysReader.read(Array(keys(text).utf8)).value.apps.flatMap(\.keys)
        #expect(keys.map(\.privateKey) == [.token(token)])
    }

    @Test(
        "is refused with what lacks, and the text that may hold a PIN is not repeated",
        arguments: [
            ("pkcs11:", "the PKCS #11 URI names no key"),
            ("pkcs11:token=s3cret?pin-source=env:PIN", "the PKCS #11 URI names no key"),
            ("pkcs11:object=s3cret", "the PKCS #11 URI does not say where the PIN is"),
            ("pkcs11:object=a?pin-source=s3cret", "the PKCS #11 URI does not say where the PIN is"),
            ("pkcs11:object=a?pin-source=env:s3-cret", "the PKCS #11 URI does not say where the PIN is"),
            ("pkcs11:object=a?pin-source=file:", "the PKCS #11 URI does not say where the PIN is"),
            ("pkcs11:object=a?pin-value=s3cret", "the PIN must not be in this file"),
            ("pkcs11:object=a&pin-value=s3cret?pin-source=env:A", "the PIN must not be in this file"),
            ("PKCS11:object=a?Pin-Value=s3cret", "the PIN must not be in this file"),
            ("pkcs11:object=a?s3cret", "what follows `?` in the PKCS #11 URI cannot be read"),
            (
                "pkcs11:object=a?pin-source=env:A&pin-source=env:s3cret",
                "what follows `?` in the PKCS #11 URI cannot be read"
            ),
            (
                "pkcs11:object=a?module-path=s3cret.so&pin-source=env:A",
                "the path of the PKCS #11 library is not absolute"
            ),
            ("pkcs11:object=a&s3cret?pin-source=env:A", "this is not a PKCS #11 URI"),
            (
                "pkcs11:object=a;slot-id=3?pin-source=env:A",
                "the PKCS #11 URI has an attribute before `?` that cannot find a key"
            ),
            ("pkcs11:object=a?pin-source=env:A&s3cret=1", "the PKCS #11 URI has an unknown attribute after `?`"),
            ("pkcs11:object=a;type=public?pin-source=env:A", "the PKCS #11 URI names no private key"),
            ("pkcs11:object=a;object=s3cret?pin-source=env:A", "this is not a PKCS #11 URI"),
            (
                "pkcs11:s3cret=a;object=b?pin-source=env:A",
                "the PKCS #11 URI has an attribute before `?` that cannot find a key"
            ),
            ("pkcs11:object=%?pin-source=env:A", "this is not a PKCS #11 URI"),
            ("pkcs11:object=%+1?pin-source=env:A", "this is not a PKCS #11 URI"),
            ("pkcs11:object=%00?pin-source=env:A", "this is not a PKCS #11 URI"),
            ("pkcs11:object=a b?pin-source=env:A", "this is not a PKCS #11 URI"),
            ("pkcs11:object=schlüssel?pin-source=env:A", "this is not a PKCS #11 URI"),
            ("pkcs11:object=?pin-source=env:A", "this is not a PKCS #11 URI"),
            (
                "pkcs11:object=" + String(repeating: "s3cret", count: 200),
                "this is not a path, `env:NAME` or a PKCS #11 URI"
            ),
        ])
    func refused(text: String, message: String) {
        let error = #expect(throws: InvalidDocument.self) { try KeysReader.read(Array(keys(text).utf8)) }
        let issue = error?.errors.first
        #expect(issue?.detail == message)
        #expect(issue?.path == "apps[0].keys[0].privateKey")
        #expect(issue?.hint?.isEmpty == false)
        #expect(error.map { "\($0)".contains("s3cret") } == false)
    }
}
