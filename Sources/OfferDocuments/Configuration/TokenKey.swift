import OfferModel

/// A private key that stays in a token: a hardware security module, or a program that acts as one. `keys.yaml` names it by
/// a PKCS #11 URI (RFC 7512).
package struct TokenKey: Sendable, Hashable {
    package enum PIN: Sendable, Hashable {
        /// The path of a file that holds it, relative to `keys.yaml`.
        case file(String)
        /// The name of an environment variable that holds it.
        case environment(String)
    }

    /// `pkcs11:` and the attributes that identify the key, without the part after `?`.
    package let uri: String
    /// The path of the token's library; `nil` for the system's default, p11-kit.
    package let module: String?
    package let pin: PIN
}

extension TokenKey {
    static let scheme = "pkcs11:"

    /// The attributes that libp11 reads.
    private static let attributes: Set<Substring> = [
        "token", "manufacturer", "serial", "model", "object", "id", "type",
    ]

    /// Reads the text of a field that begins with ``scheme``. Errors never quote it, because it could hold a PIN.
    static func read(_ text: String, of field: Field) -> TokenKey? {
        let parts = text.dropFirst(scheme.count).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = values(parts.first ?? "", separator: ";") else {
            return field.refuse(
                .invalidValue, "this is not a PKCS #11 URI",
                hint: "write it like `pkcs11:token=offers;object=signing?pin-source=env:TOKEN_PIN`")
        }
        guard path.keys.allSatisfy(attributes.contains) else {
            return field.refuse(
                .invalidValue, "the PKCS #11 URI has an attribute before `?` that cannot find a key",
                hint: "`token`, `manufacturer`, `serial`, `model`, `object`, `id` and `type` can")
        }
        guard path["object"] != nil || path["id"] != nil else {
            return field.refuse(
                .invalidValue, "the PKCS #11 URI names no key", hint: "add the key's label as `object=…`, or its `id=…`"
            )
        }
        guard path["type", default: "private"] == "private" else {
            return field.refuse(
                .invalidValue, "the PKCS #11 URI names no private key", hint: "write `type=private`, or leave it out")
        }
        guard let query = values(parts.dropFirst().first ?? "", separator: "&") else {
            return field.refuse(
                .invalidValue, "what follows `?` in the PKCS #11 URI cannot be read",
                hint: "write it like `?module-path=PATH&pin-source=env:NAME`, each once")
        }
        guard query.keys.allSatisfy({ $0 == "module-path" || $0 == "pin-source" }) else {
            return field.refuse(
                .invalidValue, "the PKCS #11 URI has an unknown attribute after `?`",
                hint: "`module-path` and `pin-source` are known there")
        }
        guard let source = query["pin-source"], let pin = PIN(source) else {
            return field.refuse(
                .invalidValue, "the PKCS #11 URI does not say where the PIN is",
                hint: "add `?pin-source=env:NAME`, or `?pin-source=file:PATH`")
        }
        if let module = query["module-path"], !module.hasPrefix("/") {
            return field.refuse(
                .invalidValue, "the path of the PKCS #11 library is not absolute",
                hint: "write it from the root, such as `module-path=/usr/lib/softhsm/libsofthsm2.so`")
        }
        return TokenKey(uri: scheme + (parts.first ?? ""), module: query["module-path"], pin: pin)
    }

    /// The decoded values by their names; `nil` if an attribute has none, is there twice or cannot be decoded.
    private static func values(_ text: Substring, separator: Character) -> [Substring: String]? {
        var values: [Substring: String] = [:]
        for part in text.split(separator: separator) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = pair.first, let value = pair.dropFirst().first, let decoded = decoded(value),
                !decoded.isEmpty, values.updateValue(decoded, forKey: name) == nil
            else { return nil }
        }
        return values
    }

    /// A value without its percent signs. An `id` is bytes and need not be text; it is compared by the token alone.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                // RFC 7512 allows no spaces, quotes or controls. libp11 takes `&` and `?` for the end of an attribute anywhere.
                guard (0x21...0x7E).contains(byte),
                    ![UInt8(ascii: "\""), UInt8(ascii: "&"), UInt8(ascii: "?")].contains(byte)
                else { return nil }
                bytes.append(byte)
                continue
            }
            guard let value = Hexadecimal.bytes(Substring(rest.prefix(2)))?.first, value != 0 else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension TokenKey.PIN {
    fileprivate init?(_ source: String) {
        if source.hasPrefix("env:"), KeySourceReader.isVariableName(String(source.dropFirst(4))) {
            self = .environment(String(source.dropFirst(4)))
        } else if source.hasPrefix("file:"), source.utf8.count > 5 {
            self = .file(String(source.dropFirst(5)))
        } else {
            return nil
        }
    }
}
