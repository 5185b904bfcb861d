import CommandLineSupport
import Foundation
import OfferTestSupport
import Testing

@testable import OfferctlCommands

@Suite("the command line by itself: exit 2 for wrong use, 0 for help")
struct CommandLineTests {
    static let token = ["OFFERCTL_TOKEN": "offerd_1_secret"]

    @Test(
        "wrong use ends with 2, one error line and a hint that names the help",
        arguments: [
            (["dry-run"], "offerctl dry-run --help"), (["dry-run", "--offer", "a"], "offerctl dry-run --help"),
            (["dry-run", "--all", "--offer", "a", "--customer-id", "x"], "offerctl dry-run --help"),
            (["dry-run", "--all", "--customer-id", "x", "--signal", "nothing"], "offerctl dry-run --help"),
            (
                ["dry-run", "--all", "--customer-id", "x", "--signal", "a=1", "--signal", "a=2"],
                "offerctl dry-run --help"
            ),
            (["dry-run", "--all", "--app-account-token", "x"], "offerctl dry-run --help"),
            (["customers", "show"], "offerctl customers show --help"),
            (["catalog", "apply"], "offerctl catalog apply --help"),
            (["nonsense"], "offerctl --help"),
            (["customers", "show", "--customer-id", "x", "--timeout", "0"], "offerctl customers show --help"),
        ])
    func wrongUse(_ arguments: [String], _ help: String) async throws {
        let run = try await OfferctlProcess.run(arguments, Self.token)
        #expect(run.status == 2)
        #expect(run.text.isEmpty)
        let lines = run.errorText.split(separator: "\n")
        #expect(lines.count == 2, "\(run.errorText)")
        #expect(lines.first?.hasPrefix("error: ") == true, "\(run.errorText)")
        #expect(lines.last == "hint: `\(help)` shows what it takes")
    }

    @Test("a misspelt option is answered with the nearest one")
    func misspelt() async throws {
        let run = try await OfferctlProcess.run(["catalog", "apply", "f.yaml", "--mesage", "x"], Self.token)
        #expect(run.status == 2)
        #expect(
            run.errorText == """
                error: unknown option `--mesage`
                hint: did you mean `--message`?
                hint: `offerctl catalog apply --help` shows what it takes

                """)
    }

    @Test("the version goes to stdout")
    func version() async throws {
        let run = try await OfferctlProcess.run(["--version"])
        #expect(run.status == 0)
        #expect(run.text == ProgramVersion.text + "\n")
    }

    @Test("without an API key nothing is asked")
    func noToken() async throws {
        let run = try await OfferctlProcess.run(["customers", "show", "--customer-id", "x"])
        #expect(run.status == 2)
        #expect(
            run.errorText.hasPrefix(
                "error: no API key is given\nhint: set OFFERCTL_TOKEN or use `--token`; `offerctl login` saves one\n"))
    }

    @Test("an unusable token is refused without showing it (invariant 9)")
    func badToken() async throws {
        let run = try await OfferctlProcess.run(
            ["customers", "show", "--customer-id", "x"], ["OFFERCTL_TOKEN": "offerd_1_\u{1}hush"])
        #expect(run.status == 2)
        #expect(!run.errorText.contains("hush"))
    }

    @Test("an address that is none is wrong use")
    func badAddress() async throws {
        let run = try await OfferctlProcess.run(
            ["customers", "show", "--customer-id", "x", "--server", "localhost:8080"], Self.token)
        #expect(run.status == 2)
        #expect(run.errorText.hasPrefix("error: `localhost:8080` in `--server` is not the address of a server\nhint: "))
    }

    @Test("a catalog that cannot be read ends with 2 and says why")
    func unreadableFile() async throws {
        let directory = try TemporaryDirectory()
        let missing = try await OfferctlProcess.run(
            ["catalog", "apply", "none.yaml"], Self.token, directory: directory.url)
        #expect(missing.status == 2)
        #expect(missing.errorText == "error: `none.yaml` cannot be read: there is no such file\n")
        let folder = try await OfferctlProcess.run(["catalog", "apply", "."], Self.token, directory: directory.url)
        #expect(folder.status == 2)
        #expect(folder.errorText == "error: `.` cannot be read: it is a directory\n")
    }

    @Test("catalog validate needs no server: 1 for an invalid file, 2 for none")
    func validate() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("bundleId: com.example.pro\nofers: []\n", to: "catalog.yaml")
        let invalid = try await OfferctlProcess.run(["catalog", "validate", "catalog.yaml"], directory: directory.url)
        #expect(invalid.status == 1)
        #expect(invalid.text.isEmpty)
        #expect(invalid.errorText.contains("`ofers`"))
        #expect(invalid.errorText.contains("(catalog.yaml:2)\nhint: "), "\(invalid.errorText)")
        let missing = try await OfferctlProcess.run(["catalog", "validate", "none.yaml"], directory: directory.url)
        #expect(missing.status == 2)
        #expect(missing.errorText.hasPrefix("error: "))
    }

    @Test("a catalog may come through a pipe")
    func pipe() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.url.appending(path: "pipe").path
        #expect(mkfifo(path, 0o600) == 0)
        // Opening a pipe waits for the other end, so neither side can be too early.
        Thread.detachNewThread {
            FileHandle(forWritingAtPath: path)?.write(Data("bundleId: com.example.pro\nofers: []\n".utf8))
        }
        let run = try await OfferctlProcess.run(["catalog", "validate", "pipe"], directory: directory.url)
        #expect(run.status == 1)
        #expect(run.errorText.contains("(pipe:2)\nhint: "), "\(run.errorText)")
    }
}
