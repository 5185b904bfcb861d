import OfferModel
import Testing

@testable import OfferctlCommands

@Suite("reading of options")
struct OptionsTests {
    @Test(
        "a signal's value has the type it looks like, and quotes make it a text",
        arguments: [
            ("interactions=52", "interactions", FactValue.number(52)), ("score=-1.5e2", "score", .number(-150)),
            ("hasPattern=true", "hasPattern", .boolean(true)), ("hasPattern=false", "hasPattern", .boolean(false)),
            ("plan=basic", "plan", .text("basic")), ("plan=", "plan", .text("")), ("plan=a=b", "plan", .text("a=b")),
            ("code=\"52\"", "code", .text("52")), ("word=nan", "word", .text("nan")),
            ("word=0x10", "word", .text("0x10")),
            ("word=TRUE", "word", .text("TRUE")), ("version=1.2.3", "version", .text("1.2.3")),
            ("big=1e999", "big", .text("1e999")),
        ])
    func signal(_ argument: String, _ name: String, _ value: FactValue) throws {
        let signal = try SignalArgument(parsing: argument)
        #expect(signal.name == name)
        #expect(signal.value == value)
    }

    @Test("a text that is not a signal is refused", arguments: ["interactions", "=1", "signals.x=1", "1a=2", "a b=1"])
    func badSignal(_ argument: String) {
        #expect(throws: (any Error).self) { try SignalArgument(parsing: argument) }
    }

    @Test(
        "an address keeps its path and loses its final slash",
        arguments: [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("https://offers.example.com/", "https://offers.example.com"),
            ("HTTPS://a.example/base/", "https://a.example/base"), ("http://[::1]:8080", "http://[::1]:8080"),
        ])
    func address(_ text: String, _ expected: String) throws {
        #expect(try #require(ServerAddress(text)).description == expected)
    }

    @Test(
        "what is no server's address is refused",
        arguments: [
            "", "localhost:8080", "ftp://a.example", "http://", "http://u:p@a.example", "http://a.example?x=1",
            "http://a.example#x", "http://a.example:99999", "nonsense",
        ])
    func badAddress(_ text: String) {
        #expect(ServerAddress(text) == nil)
    }

    @Test("query items are encoded byte by byte, `+` included")
    func query() throws {
        let address = try #require(ServerAddress("http://a.example"))
        #expect(
            address.url("/v1/customers", query: [("customerId", "a+b@c d&é")])
                == "http://a.example/v1/customers?customerId=a%2Bb%40c%20d%26%C3%A9")
    }
}
