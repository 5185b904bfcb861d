import HTTPTypes
import Hummingbird

extension Request {
    /// Whether the headers say that a body follows.
    var announcesBody: Bool {
        headers.contains(.transferEncoding) || headers[.contentLength].map { $0 != "0" } ?? false
    }

    /// Whether the client waits for leave before it sends its body (RFC 9110 §10.1.1).
    var expectsContinue: Bool {
        headers[.expect]?.lowercased() == "100-continue"
    }

    /// Whether the body does not come, because it would be larger than anything that is read and leave is not given.
    var withholdsBody: Bool {
        expectsContinue && headers[.contentLength].flatMap { Int($0) }.map { $0 > UnreadBodies.bound } ?? false
    }
}
