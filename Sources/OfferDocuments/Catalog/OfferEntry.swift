package import OfferModel

/// An offer as a form takes it, to be added to the text of a catalog or changed in it.
///
/// What was typed is written as the values of an offer, in quotes where YAML needs them, and then judged by the reader of
/// catalogs, so the form accepts and refuses what a text would.
package struct OfferEntry: Sendable {
    package enum Field: String, Sendable, CaseIterable {
        case id = "offerId"
        case type, offerIdentifier
        /// The products' identifiers, one a line.
        case products
        case paymentMode, period, periodCount, price
        /// The condition in one line.
        case eligibility = "where"
        case perCustomer, total, budget, starts, ends, status
    }

    /// The entry cannot be an offer: each path is that of a member of it.
    package struct Refusal: Error {
        package let issues: [DocumentIssue]
    }

    package static let periods = AppleTerms.offerPeriods

    var typed: [Field: String]

    /// - Parameter typed: what was typed; a field without anything in it is left out of the offer.
    package init(_ typed: [Field: String]) { self.typed = typed.filter { !$0.value.isEmpty } }

    /// The text with the offer at the end of `offers`; all else in it stays as it is.
    ///
    /// - Returns: `nil` if `offers` is written in a form that nothing can be added to here.
    /// - Throws: ``InvalidDocument`` if the text is no catalog, ``Refusal`` if it would be none with the offer.
    package func added(to text: String) throws -> String? {
        let catalog = try CatalogReader.read(text).value
        let offer = OutputNode.mapping(try entries(in: catalog))
        let meant: Catalog
        do {
            meant = try CatalogReader.read(CatalogWriter.yaml(catalog, offer, at: catalog.offers.count)).value
        } catch {
            throw Refusal(issues: error.errors.map { $0.within("offers[\(catalog.offers.count)]") })
        }
        // Whatever the text looks like, it must say this and nothing else.
        guard let added = Self.text(text, adding: offer), let read = try? CatalogReader.read(added).value, read == meant
        else { return nil }
        return added
    }

    /// The members of the offer.
    func entries(in catalog: Catalog) throws -> [(key: String, value: OutputNode)] {
        var entries: [(key: String, value: OutputNode)] = []
        func add(_ key: String, _ value: OutputNode?) {
            if let value { entries.append((key, value)) }
        }
        add("id", text(.id))
        for field in [Field.type, .offerIdentifier] { add(field.rawValue, text(field)) }
        add("products", .texts(products))
        for field in [Field.paymentMode, .period] { add(field.rawValue, text(field)) }
        add("periodCount", number(.periodCount))
        let currency = currency(in: catalog)
        add("price", text(.price).map { .mapping([("amount", $0), ("currency", .text(currency))]) })
        add("status", text(.status))
        for field in [Field.starts, .ends] { add(field.rawValue, text(field)) }
        add("eligibility", try typed[.eligibility].map(condition))
        add("limits", .list(Self.limits.compactMap { limit($0, in: catalog) }))
        return entries
    }

    static let limits = [Field.perCustomer, .total, .budget]

    var products: [String] { typed[.products]?.split(separator: "\n").map(String.init) ?? [] }

    /// The limit that a field of ``limits`` means.
    func limit(_ field: Field, in catalog: Catalog) -> OutputNode? {
        if field == .budget {
            return text(field).map { .mapping([("spend", $0), ("currency", .text(currency(in: catalog)))]) }
        }
        let per: [(key: String, value: OutputNode)] = field == .perCustomer ? [("per", .text("customer"))] : []
        return number(field).map { .mapping([("count", $0)] + per) }
    }

    /// A price is in the currency of the products; of unknown ones the reader says that they are.
    private func currency(in catalog: Catalog) -> String {
        let known = products.lazy.compactMap { catalog.product(ProductId($0))?.product }.first
        return known?.price.currency ?? catalog.subscriptionGroups.first?.products.first?.price.currency ?? ""
    }

    private func text(_ field: Field) -> OutputNode? { typed[field].map { .text($0) } }

    /// What is no number stays a text, which the reader refuses.
    private func number(_ field: Field) -> OutputNode? {
        typed[field].map { text in
            let number = Int(text).flatMap { InputBounds.integers.contains(Int64($0)) ? $0 : nil }
            return number.map { .number($0) } ?? .text(text)
        }
    }

    private func condition(_ line: String) throws -> OutputNode {
        do {
            return EligibilityWriter.node(try ConditionText.read(line, isAsked: true))
        } catch {
            throw Refusal(
                issues: error.errors.map { issue in
                    DocumentIssue(issue.code, at: .start, path: "eligibility", issue.inLine, hint: issue.hint)
                })
        }
    }
}

extension OfferEntry {
    /// The text with a list item behind those of `offers`, which are written with dashes or are none.
    private static func text(_ text: String, adding offer: OutputNode) -> String? {
        guard case .mapping(let entries)? = try? DocumentParser.parse(Array(text.utf8)).content,
            let offers = entries.first(where: { $0.key == "offers" }), case .sequence(let items) = offers.value.content
        else { return nil }
        var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(Line.init)
        let (first, column) = (offers.value.position.line - 1, offers.value.position.column - 1)
        guard lines.indices.contains(first) else { return nil }
        var (end, margin) = (first + 1, column)
        if items.isEmpty {
            guard lines[first].removeEmptyList(at: column) else { return nil }
            margin = offers.keyPosition.column + 1
        } else {
            end = lines[end...].firstIndex { $0.ends(listAt: column) } ?? lines.count
            // Empty lines and comments before it belong to what follows.
            while end > first + 1, lines[end - 1].isBlank, lines[end - 1].margin <= column { end -= 1 }
        }
        let item = YAMLText.of(.list([offer])).split(separator: "\n").map { line in
            Line(Substring(String(repeating: " ", count: margin) + line).unicodeScalars)
        }
        lines.insert(contentsOf: item, at: end)
        return String(String.UnicodeScalarView(lines.map(\.scalars).joined(separator: ["\n"])))
    }

    private struct Line {
        var scalars: Substring.UnicodeScalarView

        init(_ scalars: Substring.UnicodeScalarView) { self.scalars = scalars }

        /// The spaces before what it has; none in an empty one.
        var margin: Int { content.isEmpty ? 0 : scalars.prefix { $0 == " " }.count }

        /// Whether there is nothing but perhaps a comment.
        var isBlank: Bool { content.first.map { $0 == "#" } ?? true }

        private var content: Substring.UnicodeScalarView { scalars.drop { [" ", "\t", "\r"].contains($0) } }

        /// Whether it is what follows a list whose dashes are in a column.
        func ends(listAt column: Int) -> Bool {
            !isBlank && (margin < column || margin == column && content.first != "-")
        }

        /// Takes `[]` away, if that is what begins there.
        mutating func removeEmptyList(at column: Int) -> Bool {
            let start = scalars.index(scalars.startIndex, offsetBy: column, limitedBy: scalars.endIndex)
            guard let start, scalars[start...].first == "[", let end = scalars[start...].firstIndex(of: "]"),
                scalars[start..<end].dropFirst().allSatisfy({ $0 == " " })
            else { return false }
            scalars.removeSubrange(start...end)
            while scalars.last == " " { scalars.removeLast() }
            return true
        }
    }
}

extension DocumentIssue {
    /// The same with a path from the offer on, which is at no line of a text.
    func within(_ whole: String) -> DocumentIssue {
        let inner = path == whole ? "offer" : String(path.dropFirst(path.hasPrefix("\(whole).") ? whole.count + 1 : 0))
        return DocumentIssue(code, at: .start, path: inner, detail, hint: hint)
    }
}
