import Foundation
import OfferTestSupport
import Testing

@Suite("Scripts/package")
struct PackageScriptTests {
    private static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test(
        "a key or a database among the documents ends it, and is named",
        arguments: [
            "SubscriptionKey_A.p8", "audit.pem", "digest.key", "keys.yaml", "offers.sqlite", "offers.sqlite-wal",
        ])
    func secrets(_ name: String) async throws {
        guard try Command.run("sh", ["-c", "command -v dpkg-shlibdeps strip git"]).status == 0 else {
            return print("the tools that make a package are not installed: it was not made")
        }
        let directory = try TemporaryDirectory()
        // Links lead to the repository, but for the documents; any program serves as the two.
        let script = """
            for file in Scripts Packaging keys.example README.md CHANGELOG.md SECURITY.md LICENSE openapi.yaml; do
                ln -s "$0/$file" .
            done
            mkdir -p docs/guide programs
            cp /bin/true programs/offerd; cp /bin/true programs/offerctl
            echo text >docs/guide/page.md; echo secret >"docs/guide/$1"
            git init --quiet; git add docs
            SOURCE_DATE_EPOCH=1700000000 Scripts/package --out out --programs programs
            """
        let run = try Command.run("sh", ["-ec", script, Self.root.path, name], directory: directory.url)
        #expect(run.status == 1)
        #expect(
            run.errorText == """
                error: the package would contain `/usr/share/doc/offerd/docs/guide/\(name)`
                hint: move keys and databases out of docs and Examples

                """)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("out")).isEmpty)
    }
}
