package import OfferModel

/// What `offerd init` writes into `keys.yaml` for one app: a whole entry, or environments for one that is there.
package struct KeysAddition: Sendable {
    package struct Key: Sendable, Hashable {
        package var id: String
        package var path: String
        package var environments: [AppStoreEnvironment]

        package init(id: String, path: String, environments: [AppStoreEnvironment]) {
            self.id = id
            self.path = path
            self.environments = environments
        }
    }

    /// The issuer of an installation that needs none yet; LocalTesting takes any.
    package static let exampleIssuer = "57246542-96fe-1a63-e053-0824d011072a"

    package var bundleId: String
    package var appAppleId: Int64?
    package var issuerId: String
    package var environments: [AppStoreEnvironment]
    package var keys: [Key]
    /// A key of the app that is there, which signs for the environments that no new key signs for.
    package var extendedKey: KeyId?
    package var roots: [AppStoreEnvironment: String]

    package init(
        bundleId: String, appAppleId: Int64?, issuerId: String, environments: [AppStoreEnvironment], keys: [Key],
        extendedKey: KeyId? = nil, roots: [AppStoreEnvironment: String]
    ) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.issuerId = issuerId
        self.environments = environments
        self.keys = keys
        self.extendedKey = extendedKey
        self.roots = roots
    }

    /// The entry of a new app, whose dash is in this column.
    package func entry(column: Int = 2) -> [String] {
        var lines = ["- bundleId: \(bundleId)"]
        if let appAppleId { lines.append("  appAppleId: \(appAppleId)") }
        lines += ["  issuerId: \(issuerText)", "  environments: \(Self.list(environments))", "  keys:"]
        lines += keys.map { "    " + Self.line($0) }
        if !roots.isEmpty {
            lines.append("  trustedRoots: { \(rootEntries.joined(separator: ", ")) }")
        }
        return lines.map { String(repeating: " ", count: column) + $0 }
    }

    /// The text of a `keys.yaml` with the addition; every other line stays as it is.
    ///
    /// - Returns: `nil` if the text is written in a form that this cannot add to.
    package func added(to text: String) -> String? {
        guard let old = try? KeysReader.read(Array(text.utf8)).value else { return nil }
        var lines = KeysLines(text)
        let isAdded =
            old.app(BundleId(bundleId)) == nil
            ? lines.append(entry: self, after: old.apps.last?.bundleId) : lines.extend(by: self)
        // Whatever the text looks like, it must say this and nothing else.
        guard isAdded, let new = try? KeysReader.read(Array(lines.text.utf8)).value, new.says(addition(to: old)) else {
            return nil
        }
        return lines.text
    }

    private func addition(to old: KeysConfiguration) -> KeysConfiguration? {
        var new = old
        guard let issuerId = LowercaseUUID(issuerId) else { return nil }
        let entries = keys.map { key in
            KeyConfiguration(
                keyId: KeyId(key.id), privateKey: .path(key.path), use: .signing, environments: key.environments)
        }
        let paths = roots.mapValues { [$0] }
        guard let place = old.apps.firstIndex(where: { $0.bundleId.rawValue == bundleId }) else {
            new.apps.append(
                AppConfiguration(
                    bundleId: BundleId(bundleId), appAppleId: appAppleId, issuerId: issuerId,
                    environments: environments, keys: entries, trustedRoots: paths))
            return new
        }
        new.apps[place].appAppleId = appAppleId ?? old.apps[place].appAppleId
        new.apps[place].issuerId = issuerId
        new.apps[place].environments += environments
        if let key = new.apps[place].keys.firstIndex(where: { $0.keyId == extendedKey }) {
            new.apps[place].keys[key].environments += extendedEnvironments
        }
        new.apps[place].keys += entries
        new.apps[place].trustedRoots.merge(paths) { $1 }
        return new
    }

    /// The environments that the extended key gets.
    fileprivate var extendedEnvironments: [AppStoreEnvironment] {
        let signed = Set(keys.flatMap(\.environments))
        return environments.filter { !signed.contains($0) }
    }

    fileprivate var issuerText: String {
        issuerId == Self.exampleIssuer ? "\(issuerId) # an example: Production and Sandbox need yours" : issuerId
    }

    fileprivate var rootEntries: [String] {
        roots.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key.rawValue): [\($0.value)]" }
    }

    fileprivate static func line(_ key: Key) -> String {
        #"- { keyId: "\#(key.id)", privateKey: \#(key.path), use: signing, environments: \#(list(key.environments)) }"#
    }

    fileprivate static func list(_ environments: [AppStoreEnvironment]) -> String {
        "[\(environments.map(\.rawValue).joined(separator: ", "))]"
    }
}

extension KeysConfiguration {
    /// Whether both say the same, wherever it is written.
    fileprivate func says(_ other: KeysConfiguration?) -> Bool {
        func unplaced(_ document: KeysConfiguration) -> KeysConfiguration {
            var document = document
            for app in document.apps.indices {
                for key in document.apps[app].keys.indices {
                    (document.apps[app].keys[key].path, document.apps[app].keys[key].position) = ("", .start)
                }
            }
            return document
        }
        return other.map { unplaced(self) == unplaced($0) } ?? false
    }
}

/// The lines of a `keys.yaml` in the block form that `offerd init` writes, with any comments.
private struct KeysLines {
    /// An app's lines, and the column in which its members begin.
    private typealias Entry = (lines: Range<Int>, column: Int)

    private var lines: [Substring]

    init(_ text: String) { lines = text.split(separator: "\n", omittingEmptySubsequences: false) }

    var text: String { lines.joined(separator: "\n") }

    mutating func append(entry addition: KeysAddition, after app: BundleId?) -> Bool {
        guard let app, let entry = entry(of: app.rawValue) else { return false }
        insert(addition.entry(column: entry.column - 2), at: entry.lines.upperBound)
        return true
    }

    mutating func extend(by addition: KeysAddition) -> Bool {
        let app = addition.bundleId
        guard add(addition.environments, to: "environments", of: app), addKeys(of: addition), addRoots(of: addition),
            let entry = entry(of: app), let issuer = member("issuerId", of: entry)
        else { return false }
        if lines[issuer].contains(KeysAddition.exampleIssuer), addition.issuerId != KeysAddition.exampleIssuer {
            lines[issuer] = lines[issuer].prefix { $0 != ":" } + ": \(addition.issuerText)"
        }
        if let id = addition.appAppleId, member("appAppleId", of: entry) == nil {
            insert([margin(entry) + "appAppleId: \(id)"], at: issuer)
        }
        return true
    }

    private mutating func addKeys(of addition: KeysAddition) -> Bool {
        guard let entry = entry(of: addition.bundleId), let keys = member("keys", of: entry) else { return false }
        let items = end(of: keys, in: entry, column: entry.column)
        if let extended = addition.extendedKey {
            let pattern = "keyId:"
            guard
                let first = (keys..<items).first(where: {
                    lines[$0].contains(pattern) && lines[$0].names(extended.rawValue)
                })
            else { return false }
            let next = (first + 1..<items).first { lines[$0].contains(pattern) } ?? items
            // An entry without a list signs for every environment of its app.
            if let list = (first..<next).first(where: { lines[$0].contains("environments:") }),
                !add(addition.extendedEnvironments, at: list)
            {
                return false
            }
        }
        let column =
            (keys + 1..<items).first { lines[$0].firstWord == "-" }.map { lines[$0].column } ?? entry.column + 2
        insert(addition.keys.map { String(repeating: " ", count: column) + KeysAddition.line($0) }, at: items)
        return true
    }

    private mutating func addRoots(of addition: KeysAddition) -> Bool {
        guard !addition.roots.isEmpty else { return true }
        guard let entry = entry(of: addition.bundleId) else { return false }
        let roots = addition.rootEntries.joined(separator: ", ")
        guard let present = member("trustedRoots", of: entry) else {
            insert([margin(entry) + "trustedRoots: { \(roots) }"], at: entry.lines.upperBound)
            return true
        }
        guard let brace = lines[present].firstIndex(of: "{") else { return false }
        lines[present] = lines[present][...brace] + " \(roots)," + lines[present][lines[present].index(after: brace)...]
        return true
    }

    private mutating func add(_ environments: [AppStoreEnvironment], to name: String, of app: String) -> Bool {
        guard let entry = entry(of: app), let line = member(name, of: entry) else { return false }
        return add(environments, at: line)
    }

    /// Adds to the list in brackets that follows `environments:`.
    private mutating func add(_ environments: [AppStoreEnvironment], at line: Int) -> Bool {
        let text = lines[line]
        guard let name = text.firstRange(of: "environments:"),
            let close = text[name.upperBound...].firstIndex(of: "]")
        else { return false }
        let names = environments.map { ", \($0.rawValue)" }.joined()
        lines[line] = text[..<close] + names + text[close...]
        return true
    }

    private func entry(of app: String) -> Entry? {
        guard let place = lines.firstIndex(where: { $0.member == "bundleId" && $0.names(app) }) else { return nil }
        let column = lines[place].memberColumn
        guard let first = (0...place).last(where: { lines[$0].firstWord == "-" && lines[$0].memberColumn == column })
        else { return nil }
        let last = (first + 1..<lines.count).first { !lines[$0].isBlank && lines[$0].column < column } ?? lines.count
        return (first..<trimmed(last, from: first), column)
    }

    private func member(_ name: String, of entry: Entry) -> Int? {
        entry.lines.first { lines[$0].member == name && lines[$0].memberColumn == entry.column }
    }

    /// The line after the items of a member.
    private func end(of member: Int, in entry: Entry, column: Int) -> Int {
        let end = (member + 1..<entry.lines.upperBound).first { line in
            !lines[line].isBlank
                && (lines[line].column < column || lines[line].column == column && lines[line].firstWord != "-")
        }
        return trimmed(end ?? entry.lines.upperBound, from: member)
    }

    /// The end without the empty lines and comments before it, which belong to what follows.
    private func trimmed(_ end: Int, from start: Int) -> Int {
        ((start + 1)..<max(end, start + 1)).last { !lines[$0].isBlank }.map { $0 + 1 } ?? start + 1
    }

    private func margin(_ entry: Entry) -> String { String(repeating: " ", count: entry.column) }

    private mutating func insert(_ new: [String], at line: Int) {
        lines.insert(contentsOf: new.map { Substring($0) }, at: line)
    }
}

extension Substring {
    /// Whether there is nothing but perhaps a comment.
    fileprivate var isBlank: Bool {
        let rest = drop { $0 == " " }
        return rest.isEmpty || rest.first == "#"
    }

    fileprivate var column: Int { prefix { $0 == " " }.count }

    fileprivate var firstWord: Substring { drop { $0 == " " }.prefix { $0 != " " } }

    /// The column of the first member of an item, or of the member.
    fileprivate var memberColumn: Int {
        guard firstWord == "-" else { return column }
        return column + 1 + dropFirst(column + 1).prefix { $0 == " " }.count
    }

    fileprivate var member: Substring { dropFirst(memberColumn).prefix { $0 != ":" } }

    /// Whether it has a word, in quotes or not.
    fileprivate func names(_ word: String) -> Bool {
        split { " {},:\"'".contains($0) }.contains { $0 == word }
    }
}
