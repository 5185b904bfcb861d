/// What each target may import: the table of docs/design.md#layers, whole, so that a target to come is held to it from its first file.
struct ImportTable {
    /// Modules of Swift itself that need no listing.
    static let everywhere: Set<String> = ["FoundationEssentials", "Synchronization"]

    static let design = ImportTable(allowed: [
        "COpenSSL": [],
        "CSQLite": [],
        "JSON": [],
        "OfferModel": ["JSON"],
        "OfferCatalog": ["JSON", "OfferModel", "Yams"],
        "OfferEligibility": ["JSON", "OfferModel"],
        "OfferSigning": ["JSON", "OfferModel"],
        "OpenSSLCrypto": ["OfferModel", "OfferSigning", "COpenSSL"],
        "AppStoreData": ["JSON", "OfferModel", "OfferSigning"],
        "AppStoreServer": [
            "OfferModel", "AppStoreData", "OfferSigning", "AsyncHTTPClient", "NIOCore", "NIOHTTP1",
        ],
        "OfferStore": ["JSON", "OfferModel", "OfferEligibility"],
        "SQLiteStore": ["OfferStore", "CSQLite", "Dispatch", "Glibc"],
        "OfferApplication": [
            "OfferModel", "OfferCatalog", "OfferEligibility", "OfferSigning", "AppStoreData", "AppStoreServer",
            "OfferStore", "Logging", "Metrics",
        ],
        "LocalAppStore": ["OfferModel", "OfferSigning", "AppStoreData", "OpenSSLCrypto", "OfferCatalog"],
        "OfferAPI": ["JSON", "OfferModel"],
        "OfferHTTP": [
            "OfferApplication", "OfferAPI", "OfferModel", "OfferEligibility", "OfferSigning", "OfferCatalog",
            "Hummingbird", "HummingbirdCore", "HTTPTypes", "NIOCore", "Logging",
        ],
        "OfferctlCommands": [
            "OfferAPI", "OfferModel", "OfferCatalog", "OfferEligibility", "AppStoreData", "OfferSigning",
            "ArgumentParser", "AsyncHTTPClient", "NIOCore", "NIOHTTP1", "NIOPosix", "Foundation",
        ],
        // "All" of ours, except that only OpenSSLCrypto touches libcrypto (invariant 9).
        "OfferdCommands": [
            "JSON", "OfferModel", "OfferCatalog", "OfferEligibility", "OfferSigning", "OpenSSLCrypto", "AppStoreData",
            "AppStoreServer", "OfferStore", "SQLiteStore", "OfferApplication", "LocalAppStore", "OfferAPI", "OfferHTTP",
            "ArgumentParser", "ServiceLifecycle", "UnixSignals", "Logging", "Metrics", "Hummingbird",
            "AsyncHTTPClient", "NIOCore", "NIOPosix", "Foundation",
        ],
        "offerd": ["OfferdCommands"],
        "offerctl": ["OfferctlCommands"],
    ])

    let allowed: [String: Set<String>]

    /// The folders that are no target of the table.
    func unknownTargets(among folders: [String]) -> [String] {
        folders.filter { allowed[$0] == nil }
    }

    /// What a file imports against the table, as `path:line: reason`.
    func violations(in file: SourceFile) -> [String] {
        guard let permitted = allowed[file.target] else { return ["\(file.path): unknown target `\(file.target)`"] }
        return Self.imports(of: file.text).compactMap { line, module in
            guard !permitted.contains(module), !Self.everywhere.contains(module) else { return nil }
            return "\(file.path):\(line): \(file.target) may not import \(module)"
        }
    }

    /// The imported modules with their lines, whatever attributes, access level or kind stand around them.
    static func imports(of text: String) -> [(line: Int, module: String)] {
        let levels: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
        let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var", "actor"]
        return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
            var words = line.split(whereSeparator: { " \t;".contains($0) })[...]
            while let word = words.first, word.hasPrefix("@") || levels.contains(word) { words.removeFirst() }
            guard words.first == "import" else { return nil }
            words.removeFirst()
            if let word = words.first, kinds.contains(word) { words.removeFirst() }
            guard let module = words.first?.split(separator: ".").first else { return nil }
            return (index + 1, String(module))
        }
    }
}
