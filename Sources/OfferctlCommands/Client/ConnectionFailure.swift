import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix

/// Why no answer came, told apart because each has another remedy.
enum ConnectionFailure: Sendable, Hashable {
    /// No address belongs to the host's name.
    case unknownHost
    /// Nobody listens there, or no way leads there.
    case refused
    /// No complete answer came in time.
    case timedOut
    /// The encrypted connection could not be set up.
    case untrusted(String)
    /// What answers there speaks, but not TLS.
    case noTLS
    /// The connection ended before the answer did.
    case brokenOff
    /// The answer is larger than any of ours.
    case tooLarge
    /// Whatever speaks there does not speak HTTP.
    case notHTTP(String)

    /// Classifies an error of the HTTP client.
    init(_ error: any Error, isEncrypted: Bool) {
        switch error {
        case let error as HTTPClientError: self = Self.clientFailure(error)
        case let error as NIOConnectionError: self = error.connectionErrors.isEmpty ? .unknownHost : .refused
        case is ChannelError: self = .timedOut
        case is NIOTooManyBytesError: self = .tooLarge
        case let error as IOError: self = Self.isReset(error) ? .brokenOff : .refused
        // What is left comes from the layers between: TLS where there is TLS, else the reading of HTTP itself.
        default: self = isEncrypted ? Self.tlsFailure(error) : .notHTTP(String(describing: error))
        }
    }

    /// Whoever answers a TLS greeting with something else sends what the library takes for a record of a wrong version.
    private static func tlsFailure(_ error: any Error) -> Self {
        let reason = tlsReason(error)
        return ["wrong version number", "http request"].contains(reason) ? .noTLS : .untrusted(reason)
    }

    /// The reason in the TLS library's report, whose other parts are numbers and source files.
    private static func tlsReason(_ error: any Error) -> String {
        let report = String(describing: error)
        guard let reason = report.firstMatch(of: #/OPENSSL_internal:([A-Z0-9_]+)/#) else { return report }
        return reason.output.1.lowercased().replacing("_", with: " ")
    }

    private static func clientFailure(_ error: HTTPClientError) -> Self {
        switch error {
        case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout: .timedOut
        case .tlsHandshakeTimeout: .untrusted("the handshake took too long")
        case .remoteConnectionClosed: .brokenOff
        default: .notHTTP(error.shortDescription)
        }
    }

    private static func isReset(_ error: IOError) -> Bool {
        error.errnoCode == ECONNRESET || error.errnoCode == EPIPE
    }
}
