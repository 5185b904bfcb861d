package import OfferModel

/// A condition in one line, as people type it (docs/audience.md#conditions):
/// `subscription.state is expired and not (customer.refunds moreThan 0)`.
///
/// The line becomes the same tree as a catalog's `eligibility` and is read and checked by the same code, so a fact, an
/// operator or a value that the one refuses the other refuses too, in the same words.
package enum ConditionText {
    /// The most characters of a line.
    package static let longest = 4_000

    /// - Parameters:
    ///   - catalog: whose offers and products may be named; without one any may.
    ///   - isAsked: whether a request asks, as for an offer, so that the condition may be about what it says.
    package static func read(
        _ text: String, in catalog: Catalog? = nil, isAsked: Bool = false
    ) throws(InvalidDocument) -> RuleNode {
        let length = text.unicodeScalars.count
        guard length <= longest else {
            throw InvalidDocument(
                .tooLarge, at: .start, "the condition has \(length) characters, more than \(longest)",
                hint: "compare one fact with several values by `in`")
        }
        var parser = ConditionParser(try DocumentText(Array(text.utf8)).text)
        let root: DocumentNode
        do throws(ConditionFault) {
            root = try parser.parse()
        } catch {
            throw InvalidDocument(error.code, at: error.position, error.detail, hint: error.hint)
        }
        let log = IssueLog()
        let field = Field(node: root, path: "", log: log)
        var context = catalog.map { CatalogContext($0) } ?? CatalogContext()
        let node = EligibilityReader.read(field, &context)
        if !isAsked { refuseRequests(root, log) }
        if let catalog { refuseUnknownOffers(context, catalog) }
        if let node, (try? log.outcome(node)) != nil {
            ConditionCheck(field: field, offer: Offer(probing: node)).run(&context.satisfiability)
        }
        do throws(InvalidDocument) {
            return try log.outcome(node).value
        } catch {
            // In one line the column says where; the path of the tree would be of another document.
            throw InvalidDocument(errors: error.errors.map(\.withoutPath), warnings: [])
        }
    }

    /// Nothing asks here, so what only a request says is never known, and a condition on it would match no customer.
    private static func refuseRequests(_ node: DocumentNode, _ log: IssueLog) {
        switch node.content {
        case .sequence(let items): for item in items { refuseRequests(item, log) }
        case .mapping(let entries):
            for entry in entries {
                guard entry.key == "fact", case .scalar(let fact, _) = entry.value.content else {
                    refuseRequests(entry.value, log)
                    continue
                }
                switch FactName(fact) {
                case .signal, .request:
                    log.refuse(
                        DocumentIssue(
                            .notAllowed, at: entry.value.position,
                            "\(quoted(fact)) is part of a request, and customers are counted without one",
                            hint: "compare `subscription.…` or `customer.…` facts"))
                default: break
                }
            }
        case .empty, .scalar: break
        }
    }

    private static func refuseUnknownOffers(_ context: CatalogContext, _ catalog: Catalog) {
        for (offer, field) in context.mentions where !catalog.offers.contains(where: { $0.has(offer) }) {
            field.refuse(
                .unknownOffer, "there is no offer \(quoted(offer.rawValue)) in this catalog",
                hint: Suggestion.hint(
                    for: offer.rawValue, among: catalog.offers.map(\.id.rawValue), noun: "known offers"))
        }
    }
}

extension DocumentIssue {
    fileprivate var withoutPath: DocumentIssue {
        DocumentIssue(code: code, line: line, column: column, detail: detail, hint: hint)
    }

    /// For a message about a line: the detail and the place.
    package var inLine: String { "\(detail), at character \(column)" }
}

extension CatalogContext {
    /// The context of a catalog that was read before.
    fileprivate init(_ catalog: Catalog) {
        self.init(
            groups: catalog.subscriptionGroups,
            named: Set(catalog.subscriptionGroups.flatMap(\.products).map(\.productId)),
            otherProducts: catalog.otherProducts, namedOthers: Set(catalog.otherProducts.map(\.productId)))
    }
}

extension Offer {
    /// An offer with nothing but a condition. As it stays open once its condition held, no rule of the App Store's is
    /// held against the condition.
    package init(probing condition: RuleNode) {
        self.init(
            id: "condition", type: .promotional, delivery: .signature, offerIdentifier: nil, products: [],
            paymentMode: .freeTrial, period: Period(), periodCount: 1, limits: [])
        eligibility = condition
        availableFor = Period()
    }
}

/// A line that is not of the grammar.
struct ConditionFault: Error {
    var code = DocumentIssueCode.syntax
    var position: DocumentPosition
    var detail: String
    var hint: String?
}

/// Turns a line into the tree that the same condition would be in a catalog.
struct ConditionParser {
    fileprivate struct Token {
        enum Kind { case word, quoted, mark }

        var kind: Kind
        var text: String
        var position: DocumentPosition

        func isWord(_ word: String) -> Bool { kind == .word && text.lowercased() == word }
        func isMark(_ mark: String) -> Bool { kind == .mark && text == mark }
    }

    private var rest: Substring.UnicodeScalarView
    private var position = DocumentPosition.start
    private var next: Token?

    init(_ text: String) {
        rest = Substring(text).unicodeScalars
    }

    mutating func parse() throws(ConditionFault) -> DocumentNode {
        try advance()
        guard next != nil else {
            throw ConditionFault(
                code: .emptyDocument, position: .start, detail: "the condition is empty",
                hint: "write it like `subscription.state is expired`")
        }
        let node = try alternatives(depth: 1)
        if let next {
            throw ConditionFault(
                position: next.position, detail: "\(quoted(next.text)) is not expected here",
                hint: next.isMark(")")
                    ? "there is no `(` before it"
                    : "join comparisons with `and` or `or`; put a text with spaces in quotes")
        }
        return node
    }

    private mutating func alternatives(depth: Int) throws(ConditionFault) -> DocumentNode {
        try list(of: "any", joinedBy: "or", depth: depth) { (parser: inout Self) throws(ConditionFault) in
            try parser.list(of: "all", joinedBy: "and", depth: depth) { (parser: inout Self) throws(ConditionFault) in
                try parser.factor(depth: depth)
            }
        }
    }

    /// One part, or a group of several.
    private mutating func list(
        of group: String, joinedBy word: String, depth: Int,
        _ part: (inout Self) throws(ConditionFault) -> DocumentNode
    ) throws(ConditionFault) -> DocumentNode {
        let first = try part(&self)
        guard next?.isWord(word) == true else { return first }
        var parts = [first]
        while next?.isWord(word) == true {
            try advance()
            parts.append(try part(&self))
        }
        return .group(group, DocumentNode(position: first.position, content: .sequence(parts)), at: first.position)
    }

    private mutating func factor(depth: Int) throws(ConditionFault) -> DocumentNode {
        guard let token = next else {
            throw ConditionFault(
                position: position, detail: "the condition ends where a comparison is expected",
                hint: "write it like `subscription.state is expired`")
        }
        guard depth <= DocumentLimits.conditionDepth else {
            throw ConditionFault(
                code: .tooDeep, position: token.position,
                detail: "the condition is nested deeper than \(DocumentLimits.conditionDepth) levels",
                hint: "say it with fewer parentheses")
        }
        if token.isWord("not") {
            try advance()
            return .group("not", try factor(depth: depth + 1), at: token.position)
        }
        guard token.isMark("(") else { return try comparison(token) }
        try advance()
        let inner = try alternatives(depth: depth + 1)
        try take(")", openedAt: token)
        return inner
    }

    private mutating func comparison(_ fact: Token) throws(ConditionFault) -> DocumentNode {
        guard fact.kind == .word else {
            throw ConditionFault(
                position: fact.position, detail: "\(quoted(fact.text)) is not a fact",
                hint: "a comparison begins with a fact, such as `subscription.state`")
        }
        try advance()
        let words = ComparisonOperator.allCases.map(\.rawValue)
        guard let written = next, written.kind == .word else {
            throw ConditionFault(
                code: .missingOperator, position: next?.position ?? position,
                detail: "no operator follows \(quoted(fact.text))",
                hint: "add one, such as `is`, `in` or `atLeast`")
        }
        guard let comparisonOperator = ComparisonOperator(rawValue: written.text) else {
            throw ConditionFault(
                code: .unknownValue, position: written.position, detail: "unknown operator \(quoted(written.text))",
                hint: Suggestion.hint(for: written.text, among: words, noun: "one of"))
        }
        try advance()
        let isOwn = FactName(fact.text).map { $0.type == nil } ?? false
        let operand = try operand(of: comparisonOperator, written, isOwn: isOwn)
        return DocumentNode(
            position: fact.position,
            content: .mapping([
                .init("fact", .scalar(fact), at: fact.position), .init(written.text, operand, at: written.position),
            ]))
    }

    /// - Parameter isOwn: whether the value says which type the fact has.
    private mutating func operand(
        of comparisonOperator: ComparisonOperator, _ written: Token, isOwn: Bool
    ) throws(ConditionFault) -> DocumentNode {
        switch comparisonOperator {
        case .exists:
            if next?.isWord("true") == true || next?.isWord("false") == true { return try value(isOwn: false) }
            return DocumentNode(position: written.position, content: .scalar("true", isQuoted: false))
        case .between where next?.isMark("[") == false:
            let low = try value(isOwn: isOwn)
            guard next?.isWord("and") == true else {
                throw ConditionFault(
                    position: next?.position ?? position, detail: "`between` needs two values",
                    hint: "write it like `between 30 and 180`")
            }
            try advance()
            return DocumentNode(position: low.position, content: .sequence([low, try value(isOwn: isOwn)]))
        default:
            guard let open = next, open.isMark("[") else { return try value(isOwn: isOwn) }
            try advance()
            var items: [DocumentNode] = []
            while next?.isMark("]") == false {
                if !items.isEmpty { try take(",", openedAt: open) }
                items.append(try value(isOwn: isOwn))
            }
            try take("]", openedAt: open)
            return DocumentNode(position: open.position, content: .sequence(items))
        }
    }

    /// A text, a number, true or false, an amount such as `9.99 USD`, or a time.
    private mutating func value(isOwn: Bool) throws(ConditionFault) -> DocumentNode {
        guard let token = next, token.kind != .mark else {
            throw ConditionFault(
                code: .missingValue, position: next?.position ?? position, detail: "a value is missing",
                hint: "write it like `subscription.daysSinceExpired atMost 10`")
        }
        try advance()
        if token.kind == .word, PlainScalar.number(token.text) != nil, let currency = next, currency.kind == .word,
            Money.isCurrencyCode(currency.text), !currency.isWord("and")
        {
            try advance()
            return DocumentNode(
                position: token.position,
                content: .mapping([
                    .init(
                        "amount", DocumentNode(position: token.position, content: .scalar(token.text, isQuoted: true)),
                        at: token.position),
                    .init("currency", .scalar(currency), at: currency.position),
                ]))
        }
        if isOwn, token.kind == .word, Instant(iso8601: token.text) != nil {
            return .group("at", .scalar(token), at: token.position)
        }
        return .scalar(token)
    }

    private mutating func take(_ mark: String, openedAt open: Token) throws(ConditionFault) {
        guard next?.isMark(mark) == true else {
            let found = next.map { "\(quoted($0.text)) is where" } ?? "the condition ends where"
            throw ConditionFault(
                position: next?.position ?? position, detail: "\(found) `\(mark)` is expected",
                hint: "the `\(open.text)` is at character \(open.position.column)")
        }
        try advance()
    }
}

extension ConditionParser {
    private static let marks: Set<Unicode.Scalar> = ["(", ")", "[", "]", ","]

    private mutating func advance() throws(ConditionFault) {
        while let space = rest.first, space.properties.isWhitespace { skip() }
        guard let first = rest.first else {
            next = nil
            return
        }
        let start = position
        if Self.marks.contains(first) {
            skip()
            next = Token(kind: .mark, text: String(first), position: start)
        } else if first == "\"" || first == "'" {
            next = Token(kind: .quoted, text: try quotedText(first), position: start)
        } else {
            var text = String.UnicodeScalarView()
            while let scalar = rest.first, !scalar.properties.isWhitespace, !Self.marks.contains(scalar),
                scalar != "\"", scalar != "'"
            {
                text.append(scalar)
                skip()
            }
            next = Token(kind: .word, text: String(text), position: start)
        }
    }

    /// A text in quotes, in which `\` lets the next character be itself.
    private mutating func quotedText(_ quote: Unicode.Scalar) throws(ConditionFault) -> String {
        let start = position
        skip()
        var text = String.UnicodeScalarView()
        while let scalar = rest.first, scalar != quote {
            skip()
            guard scalar == "\\", let escaped = rest.first else {
                text.append(scalar)
                continue
            }
            text.append(escaped)
            skip()
        }
        guard rest.first == quote else {
            throw ConditionFault(
                position: start, detail: "the text in quotes has no end", hint: "close it with `\(quote)`")
        }
        skip()
        return String(text)
    }

    private mutating func skip() {
        rest.removeFirst()
        position.column += 1
    }
}

extension DocumentNode {
    fileprivate static func scalar(_ token: ConditionParser.Token) -> DocumentNode {
        DocumentNode(position: token.position, content: .scalar(token.text, isQuoted: token.kind == .quoted))
    }

    fileprivate static func group(_ key: String, _ value: DocumentNode, at position: DocumentPosition) -> DocumentNode {
        DocumentNode(position: position, content: .mapping([Entry(key, value, at: position)]))
    }
}

extension DocumentNode.Entry {
    fileprivate init(_ key: String, _ value: DocumentNode, at position: DocumentPosition) {
        self.init(key: key, keyPosition: position, value: value)
    }
}
