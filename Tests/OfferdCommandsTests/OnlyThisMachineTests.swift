import Foundation
import OfferTestSupport
import Testing

/// `Scripts/test` and whatever starts a server for a trial preload `Scripts/this_machine.c`: no test, and no program that it
/// starts, may call another machine, Apple's servers least of all.
@Suite("Programs under test reach no other machine")
struct OnlyThisMachineTests {
    private static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Runs a program in Python as a script does that is isolated, and gives what the script says and ends with.
    private func isolated(_ program: String, in directory: TemporaryDirectory) async throws -> Command {
        try directory.write(program, to: "program.py")
        let script = """
            source "$1/Scripts/lib.sh"; isolate "$2"; status=0
            python3 program.py || status=$?
            stayed_here; here=$?; [[ $status == 0 ]] && exit "$here"; exit "$status"
            """
        return try Command.run(
            "bash", ["-c", script, "bash", Self.root.path, directory.path("isolation")], directory: directory.url)
    }

    @Test(
        "attempts to reach another one fail, are named, and fail the script",
        arguments: [
            (#"socket.create_connection(("192.0.2.1", 443))"#, "192.0.2.1 port 443"),
            (#"socket.create_connection(("2001:db8::1", 443))"#, "2001:db8::1 port 443"),
            (#"socket.create_connection(("::ffff:192.0.2.2", 80))"#, "::ffff:192.0.2.2 port 80"),
            (#"socket.create_connection(("api.storekit.apple.com", 443))"#, "api.storekit.apple.com port 443"),
            (#"socket.getaddrinfo("appleid.example.com", None)"#, "appleid.example.com port 0"),
            (#"socket.socket(type=socket.SOCK_DGRAM).sendto(b"?", ("192.0.2.53", 53))"#, "192.0.2.53 port 53"),
            (#"socket.socket(type=socket.SOCK_DGRAM).sendmsg([b"?"], [], 0, ("192.0.2.5", 53))"#, "192.0.2.5 port 53"),
        ])
    func elsewhere(_ call: String, _ host: String) async throws {
        let directory = try TemporaryDirectory()
        let program = "import socket\ntry: \(call)\nexcept OSError: pass\nelse: raise SystemExit(3)\n"
        let run = try await isolated(program, in: directory)
        #expect(run.status == 1, "\(run.text) \(run.errorText)")
        #expect(run.errorText.hasPrefix("error: a program under test tried to reach another machine\nhint: "))
        #expect(run.errorText.hasSuffix(": \(host)\n"), "\(run.errorText)")
    }

    @Test("this machine is reached as ever, and a name that exists nowhere is no other machine")
    func here() async throws {
        let directory = try TemporaryDirectory()
        let program = """
            import socket
            server = socket.create_server(("127.0.0.1", 0))
            port = server.getsockname()[1]
            for host in ["127.0.0.1", "localhost", "0.0.0.0", "::ffff:127.0.0.1"]:
                socket.create_connection((host, port)).close()
            pair = socket.socketpair()
            pair[0].sendmsg([b"?"])
            assert pair[1].recv(1) == b"?"
            try: socket.getaddrinfo("nowhere.invalid", 443)
            except socket.gaierror: pass
            else: raise SystemExit(3)

            """
        let run = try await isolated(program, in: directory)
        #expect(run.status == 0 && run.errorText.isEmpty, "\(run.errorText)")
    }

    @Test("`offerd` that would ask Apple's own server cannot, and is noticed")
    func apple() async throws {
        let installation = try await Installation()
        let directory = installation.directory
        try directory.write("7040000003\n", to: "ids.txt")
        let made = try Command.run(
            "bash",
            [
                "-c",
                """
                source "$1/Scripts/lib.sh"; isolate isolation
                "$2" keys generate --out sandbox.p8 --key-id 2X9R4HXF34
                sed -i -e 's/\\[LocalTesting\\]$/[LocalTesting, Sandbox]/' \\
                    -e 's/^\\( *\\)\\(- { keyId: LOCALTEST1.*\\) }/\\1\\2, environments: [LocalTesting] }\\n\\1- { keyId: 2X9R4HXF34, privateKey: sandbox.p8, use: signing, environments: [Sandbox] }/' keys.yaml
                "$2" backfill --config offerd.yaml --app com.example.pro --environment Sandbox --ids ids.txt
                status=$?; stayed_here || exit 9; exit "$status"
                """, "bash", Self.root.path, Installation.offerd.path,
            ], directory: directory.url)
        #expect(made.status == 9, "\(made.text) \(made.errorText)")
        #expect(made.errorText.contains("api.storekit-sandbox.apple.com port 443\n"), "\(made.errorText)")
    }

    @Test("a test server of Apple's environments is not started, unless it has another server to ask or asks none")
    func configuration() throws {
        let directory = try TemporaryDirectory()
        func isRefused(_ keys: String, _ offerd: String) throws -> Bool {
            try directory.write("apps:\n  - environments: \(keys)\n", to: "keys.yaml")
            try directory.write("listen: 127.0.0.1:0\n\(offerd)\n", to: "offerd.yaml")
            do {
                try RunningServer.requireNoCallsToApple(directory)
                return false
            } catch is Installation.Failed {
                return true
            }
        }
        let own = #"appStoreServer: { Sandbox: "http://127.0.0.1:9" }"#
        #expect(try !isRefused("[LocalTesting, Xcode]", ""))
        #expect(try isRefused("[LocalTesting, Sandbox]", ""))
        #expect(try isRefused("[Production]", ""))
        #expect(try !isRefused("[LocalTesting, Sandbox]", own))
        #expect(try isRefused("[Production, Sandbox]", own))
        #expect(try !isRefused("[Production, Sandbox]", "notifications: { recheck: off }"))
    }
}
