import Foundation
import OfferTestSupport

/// An HTTPS server with a certificate that nothing vouches for; it ends with this object.
final class SelfSignedServer {
    /// `https://localhost:PORT`.
    let address: String
    private let process = Process()
    private let directory: TemporaryDirectory
    /// The file of its certificate.
    var certificate: String { directory.path("cert.pem") }

    private static let script = """
        import http.server, ssl, sys
        server = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain("cert.pem", "key.pem")
        server.socket = context.wrap_socket(server.socket, server_side=True)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """

    init() throws {
        directory = try TemporaryDirectory()
        _ = try Command.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-subj",
                "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
            ], directory: directory.url)
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.script]
        process.currentDirectoryURL = directory.url
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var line = ""
        while !line.hasSuffix("\n"), let more = try output.fileHandleForReading.read(upToCount: 1), !more.isEmpty {
            line += String(decoding: more, as: UTF8.self)
        }
        address = "https://localhost:\(line.dropLast())"
    }

    deinit {
        // A process of tests can inherit that SIGTERM is ignored.
        kill(process.processIdentifier, SIGKILL)
    }
}
