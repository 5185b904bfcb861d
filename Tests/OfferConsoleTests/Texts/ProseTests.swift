import Testing

@testable import OfferConsole

@Suite("Prose on pages")
struct ProseTests {
    @Test("markup is taken as it is of drawings and of prose, which escapes, alone")
    func unescaped() {
        let raw = Templates.sources.flatMap { name, bytes in
            String(decoding: bytes, as: UTF8.self).matches(of: /\{\{\{.*?\}\}\}|\{\{&.*?\}\}|CONTENT_TYPE/).map {
                "\(name) \($0.output)"
            }
        }
        #expect(
            raw.filter { !$0.contains("{{{prose(") }.sorted() == ["picture {{{.narrow}}}", "picture {{{.wide}}}"])
    }

    private static let sentences: [(text: String, html: String)] = [
        ("`a` was renewed", "<code>a</code> was renewed"), ("a `", "a `"), ("`", "`"), ("", ""),
        ("`a` and ` alone", "<code>a</code> and ` alone"), ("``", "<code></code>"),
        ("<b> `<i>\"` '", "&lt;b&gt; <code>&lt;i&gt;&quot;</code> &#39;"),
        ("`\u{301}<script>`\u{301}", "<code>\u{301}&lt;script&gt;</code>\u{301}"),
        (
            "until 2027-09-20T13:55:26.275Z.",
            #"until <time datetime="2027-09-20T13:55:26.275Z">2027-09-20 13:55:26 UTC</time>."#
        ),
        ("`2027-09-20T13:55:26Z`", "<code>2027-09-20T13:55:26Z</code>"),
        ("2027-99-20T13:55:26Z", "2027-99-20T13:55:26Z"),
        (
            "until 2027-09-20 13:55 UTC, since 2027-09-19 08:00:07 UTC & `2027-09-20 13:55 UTC`",
            """
            until <time datetime="2027-09-20T13:55:00Z">2027-09-20 13:55 UTC</time>, since \
            <time datetime="2027-09-19T08:00:07Z">2027-09-19 08:00:07 UTC</time> &amp; \
            <code>2027-09-20 13:55 UTC</code>
            """
        ),
        ("<2027-09-20T13:55:00Z>", #"&lt;<time datetime="2027-09-20T13:55:00Z">2027-09-20 13:55 UTC</time>&gt;"#),
    ]

    @Test(
        "prose has what it quotes as code and its instants as times, and nothing in it is markup", arguments: sentences)
    func prose(text: String, html: String) {
        #expect((Prose(text: text).transform("prose") as? Prose)?.text.utf8.elementsEqual(html.utf8) == true)
    }

    @Test(
        "a name is shown as words",
        arguments: [("boughtAtFullPrice", "bought at full price"), ("redeemed", "redeemed"), ("", "")])
    func words(name: String, words: String) {
        #expect((Prose(text: name).transform("words") as? Prose)?.text == words)
    }
}
