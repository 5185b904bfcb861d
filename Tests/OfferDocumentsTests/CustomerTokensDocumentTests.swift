import OfferModel
import Testing

@testable import OfferDocuments

@Suite("customerTokens of offerd.yaml")
struct CustomerTokensDocumentTests {
    private func read(_ text: String) throws -> [CustomerTokensConfiguration] {
        try ConfigurationReader.read(Array(text.utf8)).value.customerTokens
    }

    @Test("one login provider for all apps, or a list with one for each app")
    func whole() throws {
        let one = """
            customerTokens:
              issuer: https://securetoken.google.com/example
              audience: example
              keys: https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com

            """
        #expect(
            try read(one) == [
                CustomerTokensConfiguration(
                    issuer: "https://securetoken.google.com/example", audience: "example",
                    keys: .url(
                        "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"))
            ])
        let list = """
            customerTokens:
              - { issuer: a, audience: b, keys: keys/jwks.json, app: com.example.pro }
              - { issuer: https://c.example.com/, audience: d, keys: "http://127.0.0.1:9000/jwks" }

            """
        #expect(
            try read(list) == [
                CustomerTokensConfiguration(
                    issuer: "a", audience: "b", keys: .file("keys/jwks.json"), app: "com.example.pro"),
                CustomerTokensConfiguration(
                    issuer: "https://c.example.com/", audience: "d", keys: .url("http://127.0.0.1:9000/jwks")),
            ])
        #expect(try read("listen: 127.0.0.1:1\n") == [])
    }

    @Test("mistakes are found with their lines")
    func mistakes() {
        let text = """
            customerTokens:
              - { issuer: "", audience: a b, keys: http://example.com/jwks }
              - { isuer: a, audience: b, keys: "ftp://example.com/" }
              - { issuer: a, audience: b, keys: "https://user:password@example.com/jwks" }
              - { issuer: a, audience: b, keys: c }
              - { issuer: d, audience: e, keys: f }
              - { issuer: a, audience: b, keys: c, app: com.example.pro }
              - { issuer: d, audience: e, keys: f, app: com.example.pro }

            """
        #expect(
            issues(ConfigurationReader.read, text) == [
                "invalidValue 2 customerTokens[0].issuer", "invalidValue 2 customerTokens[0].audience",
                "invalidValue 2 customerTokens[0].keys", "missingKey 3 customerTokens[1]",
                "unknownKey 3 customerTokens[1]", "invalidValue 3 customerTokens[1].keys",
                "invalidValue 4 customerTokens[2].keys", "duplicateValue 6 customerTokens[4]",
                "duplicateValue 8 customerTokens[6]",
            ])
        #expect(issues(ConfigurationReader.read, "customerTokens: on\n") == ["wrongType 1 customerTokens"])
        #expect(issues(ConfigurationReader.read, "customerTokens: []\n") == ["emptyList 1 customerTokens"])
    }
}
