import OfferModel
import Testing

@testable import OfferDocuments

@Suite("What is added to keys.yaml")
struct KeysAdditionTests {
    private static let ours = "67246542-96fe-1a63-e053-0824d011072a"

    private func addition(
        _ app: String = "com.example.pro", _ environments: [AppStoreEnvironment] = [.localTesting],
        issuer: String = ours, key: String? = "LOCALTEST1", extending: KeyId? = nil
    ) -> KeysAddition {
        KeysAddition(
            bundleId: app, appAppleId: environments.contains(.production) ? 7 : nil, issuerId: issuer,
            environments: environments,
            keys: key.map { [.init(id: $0, path: "keys/\($0).p8", environments: environments)] } ?? [],
            extendedKey: extending, roots: environments.contains(.localTesting) ? [.localTesting: "root.der"] : [:])
    }

    private static let sandbox = """
        apps:
          # the shop
          - bundleId: "com.example.pro"
            issuerId: \(ours)
            environments: [Sandbox] # later: Production
            keys:
              - keyId: "A"
                privateKey: a.p8
                use: signing
                environments: [Sandbox]

              # the old one
              - { keyId: B, privateKey: b.p8, use: retired, environments: [ Sandbox ] }

        # the audit
        audit: { privateKey: audit.p8, digestKey: digest.key }

        """

    @Test("an environment with a key of its own, between what was there and its comments")
    func ownKey() {
        let lines = addition().added(to: Self.sandbox)?.split(separator: "\n", omittingEmptySubsequences: false) ?? []
        let old = Self.sandbox.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(
            lines.difference(from: old).insertions.map { change in
                if case .insert(let offset, let line, _) = change { "\(offset): \(line)" } else { "" }
            } == [
                "4:     environments: [Sandbox, LocalTesting] # later: Production",
                #"13:       - { keyId: "LOCALTEST1", privateKey: keys/LOCALTEST1.p8, use: signing, environments: [LocalTesting] }"#,
                "14:     trustedRoots: { LocalTesting: [root.der] }",
            ])
    }

    @Test("an environment that a key of the app signs for, too")
    func extendedKey() throws {
        let text = try #require(
            addition("com.example.pro", [.production], key: nil, extending: "A").added(to: Self.sandbox))
        #expect(text.contains("        environments: [Sandbox, Production]\n\n      # the old one\n"), "\(text)")
        #expect(text.contains("    appAppleId: 7\n    issuerId: "), "\(text)")
    }

    @Test("another app after the last one, in its column, and a second one after that")
    func newApp() throws {
        let once = try #require(addition("com.example.two").added(to: Self.sandbox))
        let twice = try #require(addition("com.example.three").added(to: once))
        let apps = try KeysReader.read(Array(twice.utf8)).value.apps
        #expect(apps.map(\.bundleId) == ["com.example.pro", "com.example.two", "com.example.three"])
        #expect(
            twice.hasSuffix(
                "\n    trustedRoots: { LocalTesting: [root.der] }\n\n# the audit\naudit: { privateKey: audit.p8, digestKey: digest.key }\n"
            ))
    }

    @Test("roots that are there get one more")
    func roots() throws {
        let text = Self.sandbox.replacing(
            "    keys:\n", with: "    trustedRoots: { Sandbox: [s.der] }\n    keys:\n")
        #expect(
            addition().added(to: text)?.contains("    trustedRoots: { LocalTesting: [root.der], Sandbox: [s.der] }\n")
                == true)
    }

    @Test("only the example's issuer is replaced")
    func issuer() throws {
        let trial = Self.sandbox.replacing(
            "issuerId: \(Self.ours)", with: "issuerId: \(KeysAddition.exampleIssuer) # an example")
        #expect(addition().added(to: trial)?.contains("    issuerId: \(Self.ours)\n") == true)
        let other = "77246542-96fe-1a63-e053-0824d011072a"
        #expect(addition(issuer: other).added(to: Self.sandbox) == nil)
    }

    @Test(
        "a form that it does not know stays as it is",
        arguments: [
            "apps: [{ bundleId: com.example.pro, issuerId: \(ours), environments: [Sandbox], keys: [{ keyId: A, privateKey: a, use: signing }] }]\n",
            sandbox.replacing("environments: [Sandbox] #", with: "environments:\n      - Sandbox #"),
            sandbox.replacing("\n", with: "\r\n"), sandbox.replacing("keys:", with: "keys: "), "", "apps: []\n",
            "\u{0}",
            sandbox.replacing("      - keyId", with: "      -  keyId").replacing("        ", with: "         "),
        ])
    func otherForms(_ text: String) throws {
        for addition in [addition(), addition("com.example.two")] {
            guard let added = addition.added(to: text) else { continue }
            // Where it can be added, it says what was there and the addition.
            let (old, new) = (try KeysReader.read(Array(text.utf8)).value, try KeysReader.read(Array(added.utf8)).value)
            #expect(new.scopes.count == old.scopes.count + 1)
            #expect(Set(new.scopes).isSuperset(of: old.scopes))
        }
    }
}
