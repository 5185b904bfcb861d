import Foundation
import OfferTestSupport
import Testing

@testable import OfferctlCommands

@Suite("An interrupted simulation")
struct SimulateInterruptionTests {
    private static let id = "019a9f2e-7c0b-7b0e-9f3a-2d5e8c1b7a90"

    private static func body(_ state: String) -> String {
        #"{"id":"\#(id)","progress":{"done":512,"of":1200},"state":"\#(state)"}"#
    }

    private static let cases: [(signal: Int32, reply: ScriptedServer.Reply?, error: String)] = [
        (SIGINT, .json(200, body("cancelled")), "error: interrupted, and the simulation `\(id)` is cancelled\n"),
        (SIGTERM, .json(200, body("cancelled")), "error: interrupted, and the simulation `\(id)` is cancelled\n"),
        (SIGINT, .json(200, body("done")), "error: interrupted, but the simulation `\(id)` had already ended\n"),
        (
            SIGINT, nil,
            """
            error: interrupted, but the simulation `\(id)` could not be cancelled
            hint: `DELETE /v1/simulations/\(id)` cancels it

            """
        ),
        // Nothing answers: the wait is bounded.
        (
            SIGINT, .silence,
            """
            error: interrupted, but the simulation `\(id)` could not be cancelled
            hint: `DELETE /v1/simulations/\(id)` cancels it

            """
        ),
    ]

    @Test("after the wait a signal does what it did before", arguments: [SIGINT, SIGTERM])
    func restored(_ number: Int32) async {
        await #expect(processExitsWith: .exitCode(7)) { [number = number as Int32] in
            signal(number) { _ in _exit(7) }
            guard try await InterruptibleWait.run({ 3 }) == 3 else { exit(1) }
            // Not `raise`: this thread may block signals.
            kill(getpid(), number)
            try await Task.sleep(for: .seconds(60))
        }
    }

    @Test("Ctrl-C cancels the simulation at the server and says so, with its id", arguments: 0..<cases.count)
    func interrupted(_ index: Int) async throws {
        let (signal, reply, error) = Self.cases[index]
        var replies: [String: ScriptedServer.Reply] = [
            "POST /v1/simulations": .json(202, #"{"id":"\#(Self.id)"}"#),
            "GET /v1/simulations/\(Self.id)": .json(200, Self.body("running")),
        ]
        replies["DELETE /v1/simulations/\(Self.id)"] = reply
        try await ScriptedServer.run(replies) { server in
            let process = Process()
            process.executableURL = URL(filePath: BuiltProgram("offerctl").path)
            process.arguments = ["simulate", "--offer", "comeback", "--timeout", "2"]
            process.environment = ["OFFERCTL_TOKEN": "offerd_1_secret", "OFFERCTL_SERVER": server.address]
            let (output, errors) = (Pipe(), Pipe())
            (process.standardOutput, process.standardError) = (output, errors)
            try process.run()
            // The second look shows that it waits.
            while process.isRunning, server.seen.count < 3 { await Task.yield() }
            kill(process.processIdentifier, signal)
            let text = errors.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            #expect(process.terminationReason == .exit && process.terminationStatus == 1)
            #expect(
                String(decoding: text, as: UTF8.self)
                    == "counting 1200 customers (simulation `\(Self.id)`)\n" + error)
            #expect(output.fileHandleForReading.readDataToEndOfFile().isEmpty)
            #expect(server.seen.last.map { "\($0.method) \($0.uri)" } == "DELETE /v1/simulations/\(Self.id)")
        }
    }
}
