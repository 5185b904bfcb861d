import HTTPTypes
import Hummingbird
import OfferHTTP

/// The cookie in which a browser keeps the secret of its session.
enum SessionCookie {
    /// Behind TLS a name that browsers keep from being set without it. `__Host-` would need the path `/`, where every page
    /// of the server got the cookie.
    static func name(isEncrypted: Bool) -> String { isEncrypted ? "__Secure-offerd-console" : "offerd-console" }

    /// The secret; `nil` without exactly one, because of two one is another page's.
    static func secret(in request: Request, isEncrypted: Bool) -> String? {
        let prefix = name(isEncrypted: isEncrypted) + "="
        let values = request.headers[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { part in
            let cookie = part.drop { $0 == " " }
            return cookie.hasPrefix(prefix) ? cookie.dropFirst(prefix.count) : nil
        }
        guard values.count == 1, let value = values.first, !value.isEmpty else { return nil }
        return String(value)
    }

    static func setting(_ secret: String, isEncrypted: Bool) -> String {
        "\(name(isEncrypted: isEncrypted))=\(secret); Path=\(ConsoleSite.root); HttpOnly; SameSite=Strict"
            + (isEncrypted ? "; Secure" : "")
    }

    static func removal(isEncrypted: Bool) -> String { setting("", isEncrypted: isEncrypted) + "; Max-Age=0" }
}
