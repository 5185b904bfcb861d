import Hummingbird
import Logging
import OfferApplication
import OfferModel

/// What belongs to one request, whoever makes it.
struct OfferContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The request's id: in `X-Request-Id`, in every problem document and in the log.
    let requestId: LowercaseUUID
    /// Where the connection comes from.
    let peer: PeerAddress
    /// Who calls, once a key was seen.
    var caller: Caller?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        requestId = .random()
        peer = PeerAddress(source.channel.remoteAddress)
        coreContext.parameters = Parameters()
        logger[metadataKey: "hb.request.id"] = nil
        logger[metadataKey: "request.id"] = "\(requestId)"
    }
}

extension LowercaseUUID {
    /// An id for a request. It protects nothing, so the standard library's generator is enough.
    static func random() -> LowercaseUUID {
        // Two draws and not sixteen: each asks the system.
        withUnsafeBytes(of: (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))) {
            LowercaseUUID(version4From: Array($0))
        }
    }
}
