import AsyncHTTPClient
import NIOCore
import NIOHTTP1

extension TransportFailure {
    /// Tells the errors of the HTTP client apart by what can be done about them.
    init(_ error: any Error) {
        switch error {
        case let failure as TransportFailure: self = failure
        case is CancellationError: self = .cancelled
        case is NIOTooManyBytesError: self = .tooLarge
        case let error as HTTPClientError: self.init(error)
        case is IOError: self = Self.known(error).map { .unreachable($0) } ?? .brokenOff
        case HTTPParserError.invalidEOFState: self = .brokenOff
        case is HTTPParserError: self = .unreadable("what answers does not speak HTTP")
        default: self = .unreachable(Self.known(error) ?? String(describing: type(of: error)))
        }
    }

    private init(_ error: HTTPClientError) {
        switch error {
        case .cancelled: self = .cancelled
        case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout,
            .tlsHandshakeTimeout, .httpProxyHandshakeTimeout, .socksHandshakeTimeout:
            self = .timedOut
        case .remoteConnectionClosed, .bodyLengthMismatch: self = .brokenOff
        default: self = .unreadable(error.shortDescription)
        }
    }

    /// The types that tell more are those of the event loop and of TLS, which this target does not import, so the
    /// reason is taken from their words.
    private static func known(_ error: any Error) -> String? {
        let words = String(describing: error).lowercased()
        return reasons.first { words.contains($0.mark) }?.reason
    }

    private static let reasons: [(mark: String, reason: String)] = [
        ("refused", "the connection was refused"), ("unreachable", "no way leads there"),
        ("certificate", "its certificate is not trusted"), ("handshake", "no encryption could be agreed on"),
        ("connectionerrors: []", "no address belongs to its name"),
    ]
}
