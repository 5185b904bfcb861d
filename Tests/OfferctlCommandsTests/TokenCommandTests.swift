import Foundation
import OfferTestSupport
import Testing

@Suite("a context's token command")
struct TokenCommandTests {
    /// Logs in with a command, in a process without a terminal, wherever the tests run.
    ///
    /// - Returns: how it ends, and the token that was sent.
    private func login(_ words: [String], within seconds: Int = 30) async throws -> (run: Command, token: String?) {
        let directory = try TemporaryDirectory()
        let scope = ("Offerd-Scope", "com.example.pro/Sandbox")
        return try await ScriptedServer.run([
            "GET /v1/catalog": .problem(403, "forbidden", "no", headers: [scope])
        ]) { server in
            let run = try await OfferctlProcess.run(
                ["login", "--server", server.address, "--timeout", "\(seconds)", "--token-command"] + words,
                ["XDG_CONFIG_HOME": directory.url.path], directory: directory.url)
            return (run, server.seen.first?.headers["authorization"].map { String($0.dropFirst("Bearer ".count)) })
        }
    }

    @Test(
        "it is the program itself with its words: no shell expands them, and standard input is empty",
        arguments: [
            (["echo", "offerd_1"], "offerd_1"),
            (["printf", "%s|", "$HOME", "*", "`id`", "a-b", ";", "--json"], "$HOME|*|`id`|a-b|;|--json|"),
            (["/bin/sh", "-c", "cat; echo $1; echo noise >&2", "sh", "x"], "x"),
        ])
    func words(_ words: [String], _ token: String) async throws {
        let (run, sent) = try await login(words)
        #expect(run.status == 0, "\(run.errorText)")
        #expect(sent == token)
        #expect(run.errorText == "com.example.pro in Sandbox\n")
    }

    @Test("no signal is blocked or ignored in it, and it is in the same process group, so that Ctrl-C ends both")
    func signals() async throws {
        // Signals 32 and 33 belong to the C library.
        let script = """
            group() { cut -d' ' -f5 /proc/$1/stat; }; \
            signals() { echo $((0x$(sed -n "s/^Sig$1:[[:space:]]*//p" /proc/self/status) & 0x7FFFFFFF)); }; \
            echo $(signals Blk)-$(signals Ign)-$(($(group $$) - $(group $PPID)))
            """
        let (run, sent) = try await login(["sh", "-c", script])
        #expect(run.status == 0, "\(run.errorText)")
        #expect(sent == "0-0-0")
    }

    @Test("one that prints without end is ended as soon as it has printed too much")
    func endless() async throws {
        let (run, sent) = try await login(["yes"], within: 3_600)
        #expect(run.status == 1)
        #expect(run.errorText.hasPrefix("error: token command `yes` printed more than 4096 bytes\n"))
        #expect(sent == nil)
    }

    @Test(
        "its failure is told with its status and what it wrote to standard error",
        arguments: [
            (
                ["sh", "-c", "echo 'no key' >&2; echo >&2; echo 'unlock it' >&2; exit 3"], 1,
                """
                error: token command `sh -c echo 'no key' >&2; echo >&2; echo 'unlock it' >&2; exit 3` ended with status 3
                hint: it says: no key / unlock it

                """
            ),
            (["false"], 1, "error: token command `false` ended with status 1\n"),
            (["sh", "-c", "kill -KILL $$"], 1, "error: token command `sh -c kill -KILL $$` was ended by signal 9\n"),
            (["true"], 1, "error: token command `true` printed nothing\n"),
            (
                ["no-such-program", "x"], 2,
                """
                error: token command `no-such-program x`: there is no program `no-such-program` in PATH
                hint: write the path of the program; a shell's aliases and functions are no programs

                """
            ),
            (
                ["/no/such/program"], 2,
                """
                error: token command `/no/such/program` cannot be run
                hint: check that the program exists and may be run

                """
            ),
            (
                ["/"], 2,
                """
                error: token command `/` cannot be run
                hint: check that the program exists and may be run

                """
            ),
            (
                ["head", "-c", "4096", "/dev/zero"], 1,
                "error: token command `head -c 4096 /dev/zero` printed nothing\n"
            ),
            (
                ["sh", "-c", "yes | head -c 100000"], 1,
                """
                error: token command `sh -c yes | head -c 100000` printed more than 4096 bytes
                hint: it must print the token alone

                """
            ),
            (
                ["echo", "two words"], 2,
                """
                error: `--token-command` has characters that no API key's token has
                hint: a token looks like `offerd_<role>_<live|test>_<id>_<secret>`

                """
            ),
        ])
    func failures(_ words: [String], _ status: Int32, _ text: String) async throws {
        let (run, sent) = try await login(words)
        #expect(run.errorText == text)
        #expect(run.status == status)
        #expect(sent == nil && run.text.isEmpty)
    }

    @Test(
        "one that hangs is ended, also if a process that it leaves keeps its output open",
        arguments: [
            ["sleep", "600"], ["sh", "-c", "trap '' TERM; sleep 5"], ["sh", "-c", "exec >&- 2>&-; exec sleep 600"],
            ["sh", "-c", "sleep 5 & echo x"],
        ])
    func hang(_ words: [String]) async throws {
        let (run, sent) = try await login(words, within: 1)
        #expect(run.status == 1)
        #expect(
            run.errorText == """
                error: token command `\(words.joined(separator: " "))` did not end within 1 s
                hint: run it by itself to see what it waits for, or set a longer `--timeout`

                """)
        #expect(sent == nil)
    }
}
