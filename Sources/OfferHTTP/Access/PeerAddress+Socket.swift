import NIOCore
import OfferApplication

extension PeerAddress {
    /// The address of a connection's other end.
    init(_ address: SocketAddress?) {
        guard let address else {
            self = .unknown
            return
        }
        // The address follows family and port (2 bytes each), in IPv6 also the flow label (4 bytes).
        let place: Range<Int>? =
            switch address {
            case .v4: 4..<8
            case .v6: 8..<24
            case .unixDomainSocket: nil
            }
        self = address.withSockAddr { socket, size in
            guard let place, place.upperBound <= size else { return .unknown }
            return PeerAddress(bytes: Array(UnsafeRawBufferPointer(start: socket, count: size)[place]))
        }
    }
}
