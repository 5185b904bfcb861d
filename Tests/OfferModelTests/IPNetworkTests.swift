import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("IP addresses and networks")
struct IPNetworkTests {
    /// The system's own reading of a text: 16 bytes, IPv4 mapped.
    private func system(_ text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET6, text, &bytes) == 1 { return bytes }
        var short = [UInt8](repeating: 0, count: 4)
        guard inet_pton(AF_INET, text, &short) == 1 else { return nil }
        return [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + short
    }

    @Test("an address is read as the system reads it, and written so that it reads the same")
    func likeTheSystem() {
        var texts = [
            "", ":", "::", ":::", "1", "1.2.3.4", "01.2.3.4", "1.2.3.04", "256.1.1.1", "1.2.3", "1.2.3.4.5", "1..2.3",
            "::1",
            "1::", "1::2", "1::2::3", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1:2:3:4::5:6:7:8",
            "1:2:3:4:5:6:7:8:9", "12345::", "g::", "+1::", "-1::", "1:2:3:4:5:6:1.2.3.4", "::ffff:1.2.3.4", "::1.2.3.4",
            "1.2.3.4::", "::1.2.3.4:5", "fe80::1%eth0", " ::1", "::1 ", "2001:DB8::A", "1:", ":1", "1.2.3.4/8",
            "０.0.0.0",
            "1:0:0:2:0:0:0:3", "1:0:0:2:3:0:0:4", "0:1:0:2:0:3:0:4", "::ffff:0:0", "::fffe:0:0", "0::0:0",
        ]
        var random = SeededGenerator(seed: 7)
        let alphabet = Array("0123456789abcdefF:::...%/ ")
        for _ in 0..<20_000 {
            texts.append(
                String(
                    (0..<Int.random(in: 0...24, using: &random)).map { _ in
                        alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                    }))
            texts.append(
                (0..<8).map { _ in
                    String(Bool.random(using: &random) ? 0 : Int.random(in: 0...65_535, using: &random), radix: 16)
                }.joined(separator: ":"))
        }
        var read = 0
        for text in texts {
            let address = IPAddress(text)
            #expect(address == system(text).flatMap { IPAddress(bytes: $0) }, "`\(text)`")
            guard let address else { continue }
            read += 1
            #expect(system(address.description).flatMap { IPAddress(bytes: $0) } == address, "`\(text)`")
        }
        #expect(read > 20_000)
    }

    @Test("an address is written in its canonical form")
    func canonical() {
        for (text, canonical) in [
            ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
            ("1:0:0:2:3:0:0:4", "1::2:3:0:0:4"),
            ("0:1:0:2:0:3:0:4", "0:1:0:2:0:3:0:4"), ("0:0:0:0:0:0:0:0", "::"), ("::ffff:c000:201", "192.0.2.1"),
            ("1:0:0:0:0:0:0:0", "1::"),
        ] {
            #expect(IPAddress(text)?.description == canonical)
        }
    }

    @Test("this machine's own addresses are 127.0.0.0/8 and ::1, and no others")
    func loopback() {
        for text in ["127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1"] {
            #expect(IPAddress(text)?.isLoopback == true, "\(text)")
        }
        for text in ["126.255.255.255", "128.0.0.0", "0.0.0.0", "::", "::2", "1::1", "::127.0.0.1", "10.0.0.127"] {
            #expect(IPAddress(text)?.isLoopback == false, "\(text)")
        }
    }

    @Test("only 4 or 16 bytes are an address; four are the mapped sixteen")
    func bytes() {
        for count in 0...40 where count != 4 && count != 16 {
            #expect(IPAddress(bytes: [UInt8](repeating: 1, count: count)) == nil)
        }
        #expect(IPAddress(bytes: [192, 0, 2, 1]) == IPAddress("::ffff:192.0.2.1"))
    }

    @Test(
        "a network contains the addresses that begin with its bits, of its own family",
        arguments: [
            (
                "10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3"],
                ["9.255.255.255", "11.0.0.0", "::a00:0"]
            ),
            ("192.0.2.1/32", ["192.0.2.1"], ["192.0.2.0", "192.0.2.2"]), ("0.0.0.0/0", ["1.2.3.4"], ["::", "::1"]),
            ("::/0", ["::1", "ff::"], ["1.2.3.4"]), ("::1/128", ["::1"], ["::", "::2", "0.0.0.1"]),
            ("2001:db8::/32", ["2001:db8::", "2001:db8:ffff::1"], ["2001:db7:ffff::", "2001:db9::"]),
            ("2001:db8::/65", ["2001:db8::7fff:0:0:0"], ["2001:db8::8000:0:0:0"]),
            ("2001:db8::/64", ["2001:db8::8000:0:0:0"], ["2001:db8:0:1::"]),
            ("::ffff:10.0.0.0/104", ["10.1.1.1"], ["11.0.0.0"]),
        ])
    func contains(_ text: String, _ inside: [String], _ outside: [String]) throws {
        let network = try IPNetwork(text)
        for address in inside { #expect(network.contains(try #require(IPAddress(address))), "\(address)") }
        for address in outside { #expect(!network.contains(try #require(IPAddress(address))), "\(address)") }
        #expect(try IPNetwork(network.description) == network)
    }

    @Test(
        "what is not a network is refused with what to write",
        arguments: [
            ("10.1.0.0/8", "write `10.0.0.0/8`; an address in it is not the network"),
            ("2001:db8::1/32", "write `2001:db8::/32`; an address in it is not the network"),
            ("10.0.0.0/33", "the length is at most 32"), ("::/129", "the length is at most 128"),
            ("10.0.0.1", "write `10.0.0.1/32` for this one address"), ("::1", "write `::1/128` for this one address"),
            ("::ffff:0:0/64", "write `::/64`; an address in it is not the network"),
        ]
            + [
                "", "/", "10.0.0.0/", "10.0.0.0/08", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "a/8", "10/8",
                "10.0.0.0/9999",
            ].map {
                ($0, "write an address and a length, such as `10.0.0.0/8` or `2001:db8::/32`")
            })
    func refused(_ text: String, _ hint: String) {
        let fault = #expect(throws: IPNetwork.Fault.self) { try IPNetwork(text) }
        #expect(fault?.hint == hint)
    }
}
