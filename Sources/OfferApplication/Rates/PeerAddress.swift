/// The address that a connection comes from, as far as failed authentication is counted together: an IPv4 address, or the
/// /64 of an IPv6 address, because one host can use all of that.
public struct PeerAddress: Sendable, Hashable {
    private let network: [UInt8]

    /// A peer without an address, such as that of a local socket.
    public static let unknown = PeerAddress(bytes: [])

    /// - Parameter bytes: the address in network byte order: 4 or 16 bytes.
    public init(bytes: [UInt8]) {
        // ::ffff:0:0/96 is IPv4, as a socket for both shows it.
        let isMapped = bytes.count == 16 && bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
        network = isMapped ? Array(bytes.suffix(4)) : Array(bytes.prefix(bytes.count == 16 ? 8 : 4))
    }
}
