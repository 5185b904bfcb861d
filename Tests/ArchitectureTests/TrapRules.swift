/// Operations that end the process on a value they do not expect. A value from outside must never reach one (invariant
/// 10).
///
/// Arithmetic is not among them, because no text tells which numbers are from outside: those are held to `InputBounds`
/// where they enter, and totals of many use `saturatingAdding`.
enum TrapRules {
    /// One way to write such an operation.
    struct Form: Sendable {
        let name: String
        /// The replacement.
        let instead: String
        /// Matches in one line of code, without comments and literals.
        let pattern: @Sendable () -> Regex<Substring>
    }

    /// A place that may have such operations nevertheless.
    struct Allowance: Sendable {
        let path: String
        let form: String
        let count: Int
        /// Why no value from outside can reach them.
        let reason: String
    }

    static let forms = [
        Form(name: "!", instead: "`guard let`") { /[\w)\]>}]!(?!=)/ },
        Form(name: "fatalError", instead: "throw") {
            /\b(?:fatalError|precondition|preconditionFailure|assert|assertionFailure)\(/
        },
        Form(name: "unowned", instead: "`weak`") { /(?:^|\W)(?:unowned|unsafelyUnwrapped|unsafeBitCast)\b/ },
        Form(name: "uniqueKeysWithValues", instead: "`Dictionary(_:uniquingKeysWith:)`") { /\buniqueKeysWithValues\b/ },
        Form(name: "abs", instead: "`magnitude`") { /\babs\(/ },
        Form(name: "Int(floating)", instead: "`Int(saturating:)`") {
            /\bU?Int(?:8|16|32|64)?\((?!saturating:|exactly:).*(?:\.rounded\(|Double\(|squareRoot|timeInterval)/
        },
        Form(name: "narrowing", instead: "`clamping:`, `exactly:` or `truncatingIfNeeded:`") {
            /(?:^|[^\w.])(?:U?Int(?:8|16|32)|CInt|CUnsignedInt|UInt|UInt64|off_t|size_t|time_t)\((?!\)|\d\w*\)|[A-Z][A-Z_0-9]+\)|"|(?:exactly|clamping|truncatingIfNeeded|bitPattern|ascii|saturating|littleEndian|bigEndian):)/
        },
        Form(name: "count difference", instead: "`max(0, …)`") { /repeating:[^,]*, count: (?!max\()[^)]*-/ },
    ]

    static let allowed = [
        Allowance(
            path: "Sources/OfferHTTP/Requests/Headers.swift", form: "fatalError", count: 1,
            reason: "the names of headers are literals"),
        Allowance(
            path: "Sources/OfferModel/Identifiers/LowercaseUUID.swift", form: "fatalError", count: 2,
            reason: "callers pass as many random bytes as they ask the system for"),
        Allowance(
            path: "Sources/OpenSSLCrypto/Digests.swift", form: "fatalError", count: 4,
            reason: "libcrypto fails here only without memory, whatever it is given"),
        Allowance(
            path: "Sources/OfferModel/Identifiers/Identifier.swift", form: "unowned", count: 1,
            reason: "a String is 16 bytes wide on every 64-bit platform; only equality is read from them"),
        Allowance(
            path: "Sources/OfferStore/Audit/RowCheck.swift", form: "unowned", count: 1,
            reason: "the closure belongs to a member of the object and is not passed on"),
        Allowance(
            path: "Sources/OfferModel/Time/Instant.swift", form: "narrowing", count: 1,
            reason: "callers keep to a hundred million days, and the shift makes those positive"),
        Allowance(
            path: "Sources/OfferModel/Time/ISO8601.swift", form: "narrowing", count: 2,
            reason: "one digit of a number that is not negative, and a byte that becomes wider"),
        Allowance(
            path: "Sources/OfferModel/Catalog/Catalog.swift", form: "count difference", count: 1,
            reason: "a remainder of 1,000 has no more digits than the width it is given"),
        Allowance(
            path: "Sources/OpenSSLCrypto/Certificates/Certificate.swift", form: "narrowing", count: 1,
            reason: "the length of a buffer of our own"),
        Allowance(
            path: "Sources/OpenSSLCrypto/Certificates/CertifiedKey.swift", form: "narrowing", count: 4,
            reason: "lengths and bits of certificates that are made here, for development"),
    ]

    /// Violations: each use that is not allowed, and each allowance that is not used.
    static func violations(in files: [SourceFile], allowed: [Allowance] = allowed) -> [String] {
        var unused = allowed
        var found: [String] = []
        for file in files {
            let code = SwiftCode(file.text)
            for form in forms {
                let pattern = form.pattern()
                let lines = code.lines.enumerated().filter { $0.element.contains(pattern) }.map { $0.offset + 1 }
                let place = unused.firstIndex { $0.path == file.path && $0.form == form.name }
                let count = place.map { unused.remove(at: $0).count } ?? 0
                guard lines.count != count else { continue }
                found += lines.map {
                    "\(file.path):\($0): `\(form.name)` can end the process (\(count) allowed): use \(form.instead)"
                }
                if lines.isEmpty { found.append("\(file.path): `\(form.name)` is allowed \(count) times and not used") }
            }
        }
        return found + unused.map { "\($0.path): `\($0.form)` is allowed in a file that is not there" }
    }
}
