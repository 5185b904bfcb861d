import JSON
import OfferModel

/// Makes the compact JWS that StoreKit takes (RFC 7515 §3.1), from claims that are already JSON.
///
/// ```
/// base64url({"alg":"ES256","kid":keyId,"typ":"JWT"}) "." base64url(claims) "." base64url(R‖S)
/// ```
enum JWSSigning {
    static func compact(claims: [UInt8], key: some SigningKey) throws -> String {
        try UnsignableText.check(key.keyId.rawValue, "keyId")
        var header = JSONWriter.beginObject(.hexadecimal)
        header.member("alg", "ES256")
        header.member("kid", key.keyId.rawValue)
        header.member("typ", "JWT")
        let input = "\(Base64URL.encode(header.endObject())).\(Base64URL.encode(claims))"
        let signature = try key.rawSignature(of: Array(input.utf8))
        return "\(input).\(Base64URL.encode(signature))"
    }
}
