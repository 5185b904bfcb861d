import Foundation
import Hummingbird

// usage: EchoFloor
//
// The floor of an HTTP exchange: Hummingbird as it comes answers `POST /echo` with the issue request it was sent, read
// and written as JSON. Prints where it listens; ends on SIGTERM.

struct Order: ResponseCodable {
    struct Customer: Codable {
        var originalTransactionId: String
    }

    var customer: Customer
    var offerId: String
    var formats: [String]
}

let router = Router()
router.post("echo") { request, context in try await request.decode(as: Order.self, context: context) }
let application = Application(
    router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
    onServerRunning: { channel in
        let line = "listening on http://127.0.0.1:\(channel.localAddress?.port ?? 0)\n"
        FileHandle.standardOutput.write(Data(line.utf8))
    })
try await application.runService()
