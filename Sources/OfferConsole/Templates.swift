import Mustache

/// The pages' templates, built into the program.
enum Templates {
    static var sources: [String: [UInt8]] {
        [
            "layout": PackageResources.layout_mustache, "time": PackageResources.time_mustache,
            "problem": PackageResources.problem_mustache, "refusal": PackageResources.refusal_mustache,
            "signIn": PackageResources.signIn_mustache, "home": PackageResources.home_mustache,
            "search": PackageResources.search_mustache, "customer": PackageResources.customer_mustache,
            "decision": PackageResources.decision_mustache, "finding": PackageResources.finding_mustache,
            "issuedOffer": PackageResources.issuedOffer_mustache,
            "recordedDecision": PackageResources.recordedDecision_mustache,
            "signatures": PackageResources.signatures_mustache, "picture": PackageResources.picture_mustache,
            "table": PackageResources.table_mustache, "fields": PackageResources.fields_mustache,
            "pauseForm": PackageResources.pauseForm_mustache, "pauseAll": PackageResources.pauseAll_mustache,
            "offers": PackageResources.offers_mustache, "offer": PackageResources.offer_mustache,
            "results": PackageResources.results_mustache, "audience": PackageResources.audience_mustache,
            "overview": PackageResources.overview_mustache,
            "changes": PackageResources.changes_mustache, "catalog": PackageResources.catalog_mustache,
            "revision": PackageResources.revision_mustache, "age": PackageResources.age_mustache,
            "board": PackageResources.board_mustache,
            "operations": PackageResources.operations_mustache, "entry": PackageResources.entry_mustache,
        ]
    }

    static let library = Result {
        MustacheContentTypes.register(PageText(), named: PageText.name)
        return MustacheLibrary(
            templates: try sources.mapValues { bytes in
                // Without the file's last newline, which would be a space after a time; and with the way of escaping in
                // front, so that no template can go without.
                let text = String(
                    decoding: bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...], as: UTF8.self)
                return try MustacheTemplate(string: "{{% CONTENT_TYPE: \(PageText.name)}}" + text)
            })
    }
}

/// Escapes what is shown by its bytes, as a browser reads them.
///
/// The library's own way goes by characters, and passes over a `<` or a quote that is one character with what is before
/// or after it, such as U+0600 or an accent: what customers and apps state could be markup then.
struct PageText: MustacheContentType {
    static let name = "page"

    func escapeText(_ text: String) -> String {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): escaped += "&amp;".utf8
            case UInt8(ascii: "<"): escaped += "&lt;".utf8
            case UInt8(ascii: ">"): escaped += "&gt;".utf8
            case UInt8(ascii: "\""): escaped += "&quot;".utf8
            case UInt8(ascii: "'"): escaped += "&#39;".utf8
            // HTML has none, and browsers differ in what they make of one.
            case 0: escaped += "\u{FFFD}".utf8
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}
