import HTTPTypes
import OfferModel

/// The proxies whose word about a caller's address is believed.
struct TrustedProxies: Sendable {
    let networks: [IPNetwork]

    /// Where a request comes from: the peer, or if that is a trusted proxy, the right-most address of `Forwarded` (RFC
    /// 7239), otherwise of `X-Forwarded-For`, that is not one itself.
    ///
    /// Each proxy adds the address it sees at the right, so what a client wrote is to the left of its own address and
    /// never read. An element that does not name an address ends the search: `nil`, because the proxy's own address would
    /// pass for the caller's in the networks of API keys. If there are only trusted proxies, it is the peer.
    func caller(peer: IPAddress?, headers: HTTPFields) -> IPAddress? {
        guard let peer, isTrusted(peer) else { return peer }
        let forwarded = headers[values: .forwarded]
        let hops =
            forwarded.isEmpty
            ? ForwardedHops(headers[values: .forwardedFor], node: { $0 })
            : ForwardedHops(forwarded, node: ForwardedHops.forwardedNode)
        for hop in hops {
            guard let hop else { return nil }
            if !isTrusted(hop) { return hop }
        }
        return peer
    }

    /// Whether a trusted proxy says that the request came to it over HTTPS: by the right-most `proto` of `Forwarded`,
    /// otherwise by `X-Forwarded-Proto`.
    func isEncrypted(peer: IPAddress?, headers: HTTPFields) -> Bool {
        guard let peer, isTrusted(peer) else { return false }
        let forwarded = headers[values: .forwarded].last.flatMap { $0.split(separator: ",").last }
        let stated =
            forwarded.map { ForwardedHops.parameter("proto", of: $0) }
            ?? headers[values: .forwardedProto].last?.split(separator: ",").last?.trimmed
        return stated?.lowercased() == "https"
    }

    func isTrusted(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }
}

/// The addresses of a list header, the last first; `nil` for an element without one.
///
/// Also the quotes are read from the right, so that an open one in what a client sent cannot hide what a proxy added.
struct ForwardedHops: Sequence, IteratorProtocol {
    private var lines: [String]
    private var rest: Substring?
    private let node: (Substring) -> Substring?

    init(_ lines: [String], node: @escaping (Substring) -> Substring?) {
        self.lines = lines
        self.node = node
    }

    mutating func next() -> IPAddress?? {
        guard let text = rest ?? lines.popLast().map({ $0[...] }) else { return nil }
        var isQuoted = false
        let comma = text.utf8.lastIndex { byte in
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            return byte == UInt8(ascii: ",") && !isQuoted
        }
        rest = comma.map { text[..<$0] }
        let element = comma.map { text[text.utf8.index(after: $0)...] } ?? text
        return .some(node(element.trimmed).flatMap(Self.address))
    }

    /// The value of `for` in an element of `Forwarded`.
    static func forwardedNode(_ element: Substring) -> Substring? { parameter("for", of: element) }

    /// A value in an element of `Forwarded`.
    static func parameter(_ name: String, of element: Substring) -> Substring? {
        let values = element.split(separator: ";").compactMap { pair -> Substring? in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 && parts[0].trimmed.lowercased() == name ? parts[1].trimmed : nil
        }
        guard let value = values.first, values.count == 1 else { return nil }
        guard value.hasPrefix("\"") else { return value }
        return value.count >= 2 && value.hasSuffix("\"") ? value.dropFirst().dropLast() : nil
    }

    /// The address of `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:80`.
    private static func address(_ node: Substring) -> IPAddress? {
        if let address = IPAddress(node) { return address }
        if node.hasPrefix("[") {
            guard let end = node.firstIndex(of: "]"), isPort(node[node.index(after: end)...]) else { return nil }
            let inside = node[..<end].dropFirst()
            return inside.contains(":") ? IPAddress(inside) : nil
        }
        guard let colon = node.firstIndex(of: ":"), isPort(node[colon...]) else { return nil }
        return IPAddress(node[..<colon])
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty
            || text.hasPrefix(":") && (1...5).contains(text.dropFirst().utf8.count)
                && text.dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
