import Foundation
import OfferTestSupport
import Testing

@Suite("A first installation")
struct InitTests {
    private func offerd(_ arguments: String..., in directory: TemporaryDirectory) async throws -> Command {
        try await Installation.offerd.run(arguments, directory: directory.url)
    }

    /// The files below a folder by name, each with its mode and content.
    private func files(_ folder: URL) throws -> [String: String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return try names.reduce(into: [:]) { files, name in
            let path = folder.appending(path: name).path
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            let content = FileManager.default.contents(atPath: path)?.base64EncodedString() ?? "folder"
            files[name] = "\(String(mode ?? 0, radix: 8)) \(content)"
        }
    }

    @Test("the commands that it prints lead to a running server, whatever the folder is called")
    func next() async throws {
        let directory = try TemporaryDirectory()
        let made = try await offerd("init", "the shop", in: directory)
        #expect(made.status == 0, "\(made.errorText)")
        let lines = made.text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let commands = try lines.suffix(from: #require(lines.firstIndex(of: "next:"))).dropFirst()
            .map { ShellWords.split($0) }
        #expect(commands.count == 3)
        #expect(commands.allSatisfy { $0.first == "offerd" })
        // The port of the configuration may be in use here.
        let configuration = directory.url.appending(path: "the shop/offerd.yaml")
        let text = try String(contentsOf: configuration, encoding: .utf8)
        try text.replacing(":8080", with: ":0").write(to: configuration, atomically: false, encoding: .utf8)
        for command in commands.dropLast() {
            let run = try await Installation.offerd.run(Array(command.dropFirst()), directory: directory.url)
            #expect(run.status == 0, "\(run.errorText)")
        }
        let check = try await offerd("keys", "check", "--config", "the shop/offerd.yaml", in: directory)
        #expect(check.status == 0 && check.text.contains("\naudit\n"), "\(check.text)\(check.errorText)")
        let doctor = try await offerd("doctor", "--config", "the shop/offerd.yaml", in: directory)
        #expect(doctor.status == 0 && !doctor.text.contains("keys.yaml has no `audit`"), "\(doctor.text)")
        let serve = try await Installation.offerd.runUntilLine(
            Array(commands.last?.dropFirst() ?? []), directory: directory.url)
        #expect(serve.status == 0 && serve.text.hasPrefix("listening on http://127.0.0.1:"), "\(serve.errorText)")
    }

    @Test("only its owner can read what it creates")
    func modes() async throws {
        let directory = try TemporaryDirectory()
        #expect(try await offerd("init", "shop", in: directory).status == 0)
        for (name, file) in try files(directory.url) {
            #expect(file.hasPrefix(file.hasSuffix(" folder") ? "700 " : "600 "), "\(name): \(file.prefix(4))")
        }
        let names = Set(try files(directory.url.appending(path: "shop")).keys)
        #expect(
            names == [
                "offerd.yaml", "keys.yaml", "keys", "keys/SubscriptionKey_LOCALTEST1.p8", "keys/audit.p8",
                "keys/digest.key", "root", "root/root.der", "root/intermediate.der", "root/leaf.der", "root/leaf.key",
            ])
    }

    @Test("as root it gives the keys to the service's user, who can read the documents but not change them")
    func owner() async throws {
        guard geteuid() == 0, getpwnam("daemon") != nil else { return }
        let directory = try TemporaryDirectory()
        let made = try await offerd("init", "shop", "--owner", "daemon", in: directory)
        #expect(made.status == 0, "\(made.errorText)")
        #expect(made.text.contains("\n  runuser -u daemon -- offerd serve --config shop/offerd.yaml\n"), "\(made.text)")
        let shown = try Command.run(
            "stat",
            ["--format", "%a %U:%G %n", "shop", "shop/keys.yaml", "shop/keys", "shop/keys/audit.p8", "shop/root"],
            directory: directory.url)
        #expect(
            shown.text == """
                700 daemon:daemon shop
                640 root:daemon shop/keys.yaml
                700 daemon:daemon shop/keys
                600 daemon:daemon shop/keys/audit.p8
                700 daemon:daemon shop/root

                """)
    }

    @Test("a second run is refused and changes nothing")
    func again() async throws {
        let directory = try TemporaryDirectory()
        #expect(try await offerd("init", in: directory).status == 0)
        let before = try files(directory.url)
        let again = try await offerd("init", in: directory)
        #expect(again.status == 1)
        #expect(
            again.errorText.hasPrefix(
                "error: `.` already has `keys.yaml`, `keys/SubscriptionKey_LOCALTEST1.p8`, `keys/audit.p8`, "),
            "\(again.errorText)")
        #expect(try files(directory.url) == before)
    }

    @Test("a refused key leaves nothing behind")
    func refused() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("no key", to: "SubscriptionKey_2X9R4HXF34.p8")
        let run = try await offerd("init", "shop", "--key", "SubscriptionKey_2X9R4HXF34.p8", in: directory)
        #expect(run.status == 2)
        #expect(try Set(files(directory.url).keys) == ["SubscriptionKey_2X9R4HXF34.p8"])
    }

    @Test("wherever it is interrupted, the next run completes it with the same keys, or starts over")
    func interrupted() async throws {
        let directory = try TemporaryDirectory()
        #expect(try await offerd("init", "whole", in: directory).status == 0)
        let whole = try files(directory.url.appending(path: "whole"))
        let names = whole.filter { !$0.value.hasSuffix(" folder") }.keys.sorted()
        for moved in 0...names.count {
            // Linked and not yet removed from the prepared files, as between two steps of one file.
            for isLinked in [false, true] where !isLinked || moved > 0 {
                let (folder, staged) = ("\(moved) \(isLinked)", "\(moved) \(isLinked)/.offerd-init")
                let made = try Command.run(
                    "bash",
                    [
                        "-ec",
                        """
                        mkdir -m 700 "$0"; cp -a whole "$1"; moved=$2; last=$3; shift 3
                        for name in "${@:1:$moved}"; do
                            mkdir -m 700 -p "$(dirname "$folder/$name")"; ln "$staged/$name" "$folder/$name"
                            if [ "$name" != "$last" ]; then rm "$staged/$name"; fi
                        done
                        """.replacing("$folder", with: "\(folder)").replacing("$staged", with: "\(staged)"), folder,
                        staged, "\(moved)", isLinked ? names[moved - 1] : "none",
                    ] + names, directory: directory.url)
                #expect(made.status == 0, "\(made.errorText)")
                let run = try await offerd("init", folder, in: directory)
                #expect(run.status == 0, "\(run.errorText)")
                #expect(
                    run.text.hasPrefix(
                        "finished the installation in `\(folder)`, which an interrupted `offerd init` had begun\n\nnext:\n"
                    ), "\(run.text)")
                #expect(try files(directory.url.appending(path: folder)) == whole, "\(folder)")
            }
        }
        try FileManager.default.createDirectory(
            atPath: directory.path("early/.offerd-init.part/keys"), withIntermediateDirectories: true)
        try directory.write("half a k", to: "early/.offerd-init.part/keys/audit.p8")
        #expect(try await offerd("init", "early", in: directory).status == 0)
        #expect(try Set(files(directory.url.appending(path: "early")).keys) == Set(whole.keys))
    }

    @Test("what another program puts in the way of an interrupted installation stays, and is named")
    func inTheWay() async throws {
        let directory = try TemporaryDirectory()
        #expect(try await offerd("init", "whole", in: directory).status == 0)
        let made = try Command.run(
            "sh", ["-ec", "mkdir shop; mv whole shop/.offerd-init; echo mine >shop/keys.yaml"], directory: directory.url
        )
        #expect(made.status == 0, "\(made.errorText)")
        let run = try await offerd("init", "shop", in: directory)
        #expect(run.status == 1)
        #expect(run.errorText.hasPrefix("error: `shop` already has `keys.yaml`; "), "\(run.errorText)")
        #expect(try String(contentsOfFile: directory.path("shop/keys.yaml"), encoding: .utf8) == "mine\n")
    }

    @Test("Apple's key signs for Apple's environments, and one of its own for LocalTesting")
    func keys() async throws {
        let directory = try TemporaryDirectory()
        let key = "SubscriptionKey_2X9R4HXF34.p8"
        #expect(
            try await offerd("keys", "generate", "--out", key, "--key-id", "2X9R4HXF34", in: directory).status == 0)
        let made = try await offerd(
            "init", "shop", "--key", key, "--environment", "Sandbox", "--environment", "LocalTesting", "--issuer-id",
            "57246542-96fe-1a63-e053-0824d011072a", in: directory)
        #expect(made.status == 0, "\(made.errorText)")
        let list = try await offerd("keys", "list", "--config", "shop/offerd.yaml", in: directory)
        #expect(
            list.text == """
                APP              KEY ID      USE      ENVIRONMENTS  PRIVATE KEY
                com.example.pro  2X9R4HXF34  signing  Sandbox       keys/SubscriptionKey_2X9R4HXF34.p8
                com.example.pro  LOCALTEST1  signing  LocalTesting  keys/SubscriptionKey_LOCALTEST1.p8

                """)
        #expect(try await offerd("keys", "check", "--config", "shop/offerd.yaml", in: directory).status == 0)
        #expect(
            FileManager.default.contents(atPath: directory.path("shop/keys/\(key)"))
                == FileManager.default.contents(atPath: directory.path(key)))
    }
}
