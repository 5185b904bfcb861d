import Foundation
import NIOCore
import OfferCatalog

/// Why the server could not listen, in words.
enum ListenFailure {
    static func translate(_ error: any Error, address: ListenAddress) -> any Error {
        if error is SocketAddressError {
            return CommandFailure.configuration(
                "`\(address.host)` is not known as a host", hints: ["listen on `127.0.0.1` or `0.0.0.0`"])
        }
        guard let system = error as? IOError else { return error }
        switch system.errnoCode {
        case EADDRINUSE:
            return CommandFailure.configuration(
                "`\(address)` is in use by another program",
                hints: ["stop that program, or choose another port with `--listen`; port 0 takes a free one"])
        case EACCES:
            return CommandFailure.configuration(
                "`\(address)` may not be listened on", hints: ["ports below 1024 need root; choose a higher one"])
        case EADDRNOTAVAIL:
            return CommandFailure.configuration(
                "`\(address)` is not an address of this machine", hints: ["listen on `127.0.0.1` or `0.0.0.0`"])
        default:
            return CommandFailure.failed("`\(address)` cannot be listened on: \(system)")
        }
    }
}
