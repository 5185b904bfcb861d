import Foundation

/// Where an `offerd` answers: a scheme, a host, perhaps a port and a path before `/v1`.
struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address without a final slash.
    let description: String

    /// Whether the connection is encrypted.
    var isEncrypted: Bool { description.hasPrefix("https:") }

    /// Reads `http://127.0.0.1:8080` or `https://offers.example.com`; `nil` for anything that is not such an address.
    init?(_ text: String) {
        guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
            let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https",
            parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil,
            (parts.port.map { (1...65_535).contains($0) } ?? true)
        else { return nil }
        var address = text
        while address.hasSuffix("/") { address.removeLast() }
        description = scheme + address.dropFirst(scheme.count)
    }

    /// The address of a path with its query.
    func url(_ path: String, query: [(String, String)] = []) -> String {
        let items = query.map { "\($0.percentEncoded)=\($1.percentEncoded)" }.joined(separator: "&")
        return description + path + (items.isEmpty ? "" : "?" + items)
    }
}

extension String {
    /// Every byte but RFC 3986's unreserved ones as `%XX`: servers disagree on what a bare `+` means.
    var percentEncoded: String {
        let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in utf8 {
            if unreserved.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
