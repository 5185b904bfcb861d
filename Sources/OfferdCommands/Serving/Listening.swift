import CommandLineSupport
import Foundation
import NIOCore
import OfferDocuments
import Synchronization

/// Announces addresses once all of them are listened on: until then one of them may prove to be taken.
final class Announcements: Sendable {
    private let all: Mutex<[(@Sendable () -> Void)?]>

    /// The place of the last one.
    var last: Int { all.withLock { $0.count } - 1 }

    init(of count: Int) { all = Mutex(Array(repeating: nil, count: count)) }

    /// - Parameters:
    ///   - number: its place among the announcements.
    ///   - announce: makes it, once all have been added.
    func add(_ number: Int, _ announce: @escaping @Sendable () -> Void) {
        let complete = all.withLock { all in
            all[number] = announce
            return all.contains { $0 == nil } ? [] : all.compactMap(\.self)
        }
        for announce in complete { announce() }
    }
}

enum ListenFailure {
    /// Why an address cannot be listened on; another error as it is.
    ///
    /// What may be over by the next start (a port that is taken, an address that the network does not have yet, a name
    /// that is not resolved) fails; what needs another configuration is wrong use.
    ///
    /// - Parameters:
    ///   - listener: the setting that the address is of.
    ///   - place: where it can be changed.
    static func translate(
        _ error: any Error, address: ListenAddress, of listener: String, place: String
    ) -> any Error {
        let shown = "`\(address)` (`\(listener)`)"
        if error is SocketAddressError || error is SocketAddressError.UnknownHost {
            return CommandFailure(
                .failed, "`\(address.host)`, the host of \(shown), is not known",
                hints: ["give an address of this machine with \(place), such as `127.0.0.1` or `0.0.0.0`"])
        }
        guard let system = error as? IOError else { return error }
        switch system.errnoCode {
        case EADDRINUSE:
            return CommandFailure(
                .failed, "\(shown) is in use by another program",
                hints: ["stop that program, or choose another port with \(place); port 0 takes a free one"])
        case EACCES:
            return CommandFailure(
                .usage, "\(shown) may not be listened on",
                hints: ["ports below 1024 need root; choose a higher one with \(place)"])
        case EADDRNOTAVAIL:
            return CommandFailure(
                .failed, "\(shown) is not an address of this machine",
                hints: ["give one that is with \(place), such as `127.0.0.1` or `0.0.0.0`"])
        default:
            return CommandFailure(.failed, "\(shown) cannot be listened on: \(system)")
        }
    }
}
