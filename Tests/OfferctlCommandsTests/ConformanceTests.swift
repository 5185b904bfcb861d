import Foundation
import OfferTestSupport
import Testing

/// The suite that other implementations run (Examples/conformance), run with this one.
@Suite("The conformance suite")
struct ConformanceTests {
    private static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let folders = ["Examples/conformance/cases", "Examples/cases"]
    private static let offerctl = BuiltProgram("offerctl").path

    private static func runner(_ arguments: [String], in directory: URL = root) throws -> Command {
        let script = root.appending(path: "Examples/conformance/run.py").path
        return try Command.run("python3", [script] + arguments, directory: directory)
    }

    /// Every file of cases of the repository, by its form.
    private static func caseFiles() throws -> Set<String> {
        var files: Set<String> = []
        for folder in ["Examples", "Tests", "docs"] {
            let base = root.appending(path: folder)
            for name in try FileManager.default.subpathsOfDirectory(atPath: base.path) {
                // The form of a file is tested with files that are not run.
                guard folder + "/" + name != "Tests/OfferDocumentsTests/Fixtures/design/cases.yaml",
                    [".json", ".yaml", ".yml"].contains(where: name.hasSuffix),
                    let text = try? String(contentsOf: base.appending(path: name), encoding: .utf8),
                    text.contains(#/(?m)^\s*"?cases"?:/#), text.contains(#/"?expect"?:/#)
                else { continue }
                files.insert("\(folder)/\(name)")
            }
        }
        return files
    }

    @Test("it has every case file of the project, and `offerctl test` and the runner agree that every case passes")
    func whole() async throws {
        let files = try Self.caseFiles()
        #expect(files.filter { file in !Self.folders.contains { file.hasPrefix($0 + "/") } } == [])
        let judged = try await OfferctlProcess.run(["test"] + Self.folders, directory: Self.root)
        #expect(judged.status == 0, "\(judged.text)\(judged.errorText)")
        #expect(judged.text.hasPrefix("\(files.count) files, "))
        let run = try Self.runner(["--messages", "--", Self.offerctl, "test", "--lines"])
        #expect(run.text == judged.text, "\(run.errorText)")
        #expect(run.status == 0)
    }

    @Test("each wrong expectation fails its case and is named, over HTTP too")
    func wrong() throws {
        let directory = try TemporaryDirectory()
        try directory.write(
            """
            offers:
              loyal: { offerIdentifier: loyal, eligibility: { fact: signals.interactions, atLeast: 50 } }
            histories:
              subscriber: { transactions: [{ transactionId: "1", purchaseDate: 2026-01-01T00:00:00Z }] }
            cases:
              - name: right
                asOf: 2026-01-15T00:00:00Z
                history: subscriber
                signals: { interactions: 50 }
                expect: { outcome: eligible, state: { hasAccess: true, accessEnds: 2026-02-01T01:00:00+01:00 } }
              - name: wrong outcome and state
                asOf: 2026-01-15T00:00:00Z
                history: subscriber
                signals: { interactions: 50 }
                expect: { outcome: ineligible, findings: [{ rule: rule.eligibility, verdict: violated }], state: { hasAccess: false } }
              - name: wrong reason, turning point and transaction, and a rule that is not listed
                asOf: 2026-01-15T00:00:00Z
                history: subscriber
                signals: { interactions: 49 }
                expect:
                  outcome: ineligible
                  findings:
                    - { rule: limit.signatures, verdict: notApplicable, turningPoint: { at: 2026-02-01T00:00:00Z }, transactionId: "2" }
              - name: wrong sentence
                asOf: 2026-01-15T00:00:00Z
                history: subscriber
                signals: { interactions: 49 }
                expect: { outcome: ineligible, findings: [{ rule: rule.eligibility, verdict: violated, message: no }] }
            """, to: "wrong.yaml")
        let command = ["wrong.yaml", "--", Self.offerctl, "test", "--lines"]
        let expected = """
            ✗ wrong outcome and state (wrong.yaml)
                outcome: expected ineligible, got eligible
                rule.eligibility verdict: expected violated, got satisfied
                state hasAccess: expected false, got true
            ✗ wrong reason, turning point and transaction, and a rule that is not listed (wrong.yaml)
                limit.signatures turningPoint: expected 2026-02-01T00:00:00Z, got None
                limit.signatures transactionId: expected 2, got 
                rule.eligibility: expected None, got violated
            1 file, 4 cases: 2 passed, 2 failed

            """
        let run = try Self.runner(command, in: directory.url)
        #expect(run.text == expected, "\(run.errorText)")
        #expect(run.status == 1)
        let judged = try Self.runner(["--messages"] + command, in: directory.url)
        #expect(judged.text.contains("rule.eligibility message: expected no, got "))
        try directory.write(
            """
            import http.server, subprocess, sys
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_POST(self):
                    line = self.rfile.read(int(self.headers["Content-Length"]))
                    answer = subprocess.run(sys.argv[1:3] + ["--lines"], input=line, stdout=subprocess.PIPE).stdout
                    self.send_response(200)
                    self.end_headers()
                    self.wfile.write(answer)
                def log_message(self, *_): pass
            server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
            runner = subprocess.Popen([sys.executable, sys.argv[3], "--http", f"http://127.0.0.1:{server.server_port}/", "wrong.yaml"])
            while runner.poll() is None:
                server.timeout = 0.1
                server.handle_request()
            sys.exit(runner.returncode)
            """, to: "serve.py")
        let script = Self.root.appending(path: "Examples/conformance/run.py").path
        let served = try Command.run(
            "python3", ["serve.py", Self.offerctl, "test", script], directory: directory.url)
        #expect(served.text == expected, "\(served.errorText)")
        #expect(served.status == 1)
    }

    @Test(
        "an implementation that ends or does not answer in JSON ends the run with 2 and the case that it did not answer"
    )
    func silent() throws {
        for answer in ["true", "echo no"] {
            let run = try Self.runner(["Examples/cases/catalog.yaml", "--"] + ShellWords.split(answer), in: Self.root)
            #expect(run.status == 2)
            #expect(run.errorText.hasPrefix("error: no answer to `"), "\(run.errorText)")
        }
    }

    @Test(
        "`--lines` takes a line of one case, and says which line is wrong",
        arguments: [
            ([], "{}", "line 1"), ([], #"{"cases":[]}"#, "line 1"), ([], "{", "line 1"),
            (["Examples/cases"], "", "`--lines` reads standard input"), (["-o", "json"], "", "`--lines` prints JSON"),
        ])
    func lines(_ arguments: [String], _ input: String, _ error: String) throws {
        let run = try Command.run(
            Self.offerctl, ["test", "--lines"] + arguments, input: Array((input + "\n").utf8), directory: Self.root)
        #expect(run.status == 2)
        #expect(run.errorText.contains(error), "\(run.errorText)")
    }
}
