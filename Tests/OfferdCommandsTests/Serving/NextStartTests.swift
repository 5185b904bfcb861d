import Foundation
import OfferTestSupport
import Testing

@Suite("Doctor before the next start", .timeLimit(.minutes(5)))
struct NextStartTests {
    @Test(
        "a file that was spoiled after the start is found by doctor as by serve, while the running server goes on",
        arguments: [
            ("rm root/root.der", "root certificate `DIR/root/root.der` cannot be read"),
            ("echo none >root/root.der", "root certificate `DIR/root/root.der`: "),
            (": >signing.p8", "`DIR/signing.p8`"),
            ("chmod 644 signing.p8", "has mode `0644`"),
            (
                "echo 'appStoreServer: { LocalTesting: http://example.com }' >>offerd.yaml",
                "`appStoreServer` of LocalTesting is `http://example.com`"
            ),
        ])
    func spoiled(script: String, message: String) async throws {
        let installation = try await Installation()
        let directory = installation.directory
        func offerd(_ command: String) async throws -> (status: Int32, text: String) {
            let run = try await Installation.offerd.run(
                [command, "--config", "offerd.yaml"], directory: directory.url)
            // The directory may have another name by a link.
            return (
                run.status,
                (run.text + run.errorText).replacing(/`[^`]*\/(root\/root\.der|signing\.p8)`/) { "`DIR/\($0.1)`" }
            )
        }
        let server = try await RunningServer.start(installation)
        let whole = try await offerd("doctor")
        #expect(whole.status == 0)
        #expect(whole.text.contains("`serve` would start with the files as they are now"), "\(whole.text)")
        #expect(try Command.run("sh", ["-ec", script], directory: directory.url).status == 0)
        let doctor = try await offerd("doctor")
        #expect(doctor.status == 1)
        #expect(doctor.text.contains(message), "\(doctor.text)")
        #expect(!doctor.text.contains("`serve` would start"))
        #expect(await server.stop() == 0, "the running server keeps what it has read")
        let start = try await offerd("serve")
        #expect(start.status == 2 && start.text.contains(message), "\(start.text)")
    }
}
