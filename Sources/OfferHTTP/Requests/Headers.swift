package import HTTPTypes
import Hummingbird
import OfferAPI

/// The media types this API reads and writes.
enum MediaType: String, Sendable, CaseIterable {
    case json = "application/json"
    case yaml = "application/yaml"

    private static let names: [String: MediaType] = [
        "application/json": .json, "application/yaml": .yaml, "application/x-yaml": .yaml, "text/yaml": .yaml,
    ]

    /// The type of the body; `nil` if the header is absent, names something else or a character set other than UTF-8.
    static func ofBody(_ request: Request) throws -> MediaType? {
        guard let value = request.headers.value(.contentType) else { return nil }
        if value == Self.json.rawValue { return .json }
        let parts = value.split(separator: ";").map { $0.trimmed.lowercased() }
        let isUTF8 = parts.dropFirst().allSatisfy {
            !$0.hasPrefix("charset=") || $0 == "charset=utf-8" || $0 == "charset=\"utf-8\""
        }
        guard isUTF8, let name = parts.first else { return nil }
        return names[name]
    }

    /// The type the client prefers; the default if it has no preference or accepts neither, which RFC 9110 §12.4.1
    /// allows.
    static func preferred(_ request: Request, default fallback: MediaType) -> MediaType {
        var best: (type: MediaType, weight: Double)?
        for range in request.headers[values: .accept].flatMap({ $0.split(separator: ",") }) {
            let parts = range.split(separator: ";").map { $0.trimmed.lowercased() }
            guard let name = parts.first else { continue }
            let type = name == "*/*" || name == "application/*" ? fallback : names[name]
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            if let type, weight > best?.weight ?? 0 { best = (type, weight) }
        }
        return best?.type ?? fallback
    }
}

extension Substring {
    var trimmed: Substring {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return ""
        }
        return self[first...last]
    }
}

/// The `Idempotency-Key` header: under it a client may repeat a request (docs/design.md#issuing).
enum IdempotencyKey {
    /// The key; `nil` if the client sent none.
    ///
    /// - Throws: ``RequestFault`` if it is not 1 to 255 visible ASCII characters, or given twice.
    static func of(_ request: Request) throws(RequestFault) -> String? {
        let values = request.headers[values: .idempotencyKey]
        guard let key = values.first else { return nil }
        guard values.count == 1, (1...255).contains(key.utf8.count),
            key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw RequestFault(
                path: "header.Idempotency-Key", .invalidHeader,
                "one key of 1 to 255 visible ASCII characters is needed",
                hint: "use a fresh UUID for every new request, and the same one to repeat it")
        }
        return key
    }
}

extension HTTPFields {
    /// The value of a header; of one that is there several times, all of them, separated by commas.
    ///
    /// The library's own subscript joins them even where there is only one.
    func value(_ name: HTTPField.Name) -> String? {
        let values = self[values: name]
        return values.count > 1 ? self[name] : values.first
    }
}

extension Request {
    var announcesBody: Bool {
        headers.contains(.transferEncoding) || headers[values: .contentLength].contains { $0 != "0" }
    }

    /// How long the body is, up to a bound; `nil` if the request does not say.
    func bodyLength(atMost bound: Int) -> Int? {
        guard announcesBody else { return 0 }
        return headers.value(.contentLength).flatMap { Int($0) }.map { min(max($0, 0), bound) }
    }

    /// Whether the client has what an entity tag names, by `If-None-Match` (RFC 9110 §13.1.2).
    func knows(_ tag: String) -> Bool {
        headers[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }.map(\.trimmed).contains {
            $0 == "*" || $0 == tag || $0 == "W/" + tag
        }
    }

    /// Whether the client waits for leave before it sends its body (RFC 9110 §10.1.1).
    var expectsContinue: Bool {
        headers[values: .expect].contains { $0.lowercased() == "100-continue" }
    }

    /// Whether the body does not come, because it would be larger than anything that is read and leave is not given.
    var withholdsBody: Bool {
        expectsContinue && headers.value(.contentLength).flatMap { Int($0) }.map { $0 > UnreadBodies.bound } ?? false
    }
}

extension HTTPField.Name {
    /// The request's id on every answer.
    static let requestId = ours("X-Request-Id")
    /// The app and environment of the caller's key on every answer to it.
    static let scope = ours("Offerd-Scope")
    static let idempotencyKey = ours("Idempotency-Key")
    /// A login provider's statement who uses the app.
    static let customerToken = ours("Customer-Token")
    /// `true` on an answer that was given before.
    static let idempotentReplayed = ours("Idempotent-Replayed")

    static let traceparent = ours("traceparent")

    /// The way of a request through proxies: by RFC 7239, and as proxies wrote it before that.
    static let forwarded = ours("Forwarded")
    static let forwardedFor = ours("X-Forwarded-For")
    static let forwardedProto = ours("X-Forwarded-Proto")

    /// The rest of a limit: `r` requests, and more in `t` seconds.
    static let rateLimit = ours("RateLimit")
    /// The limit itself: `q` requests at once, and as many again in `w` seconds.
    static let rateLimitPolicy = ours("RateLimit-Policy")

    package static func ours(_ text: StaticString) -> HTTPField.Name {
        // A trap, because only literals of this package come here and never any input: a name that HTTP does not allow is
        // a mistake in the code, which the first test that asks anything meets.
        guard let name = HTTPField.Name("\(text)") else { preconditionFailure("`\(text)` is not a header name") }
        return name
    }
}
