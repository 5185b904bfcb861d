import Foundation
import OfferTestSupport
import Testing

@Suite("A first installation")
struct InitTests {
    private func offerd(_ arguments: String..., in directory: TemporaryDirectory) async throws -> Command {
        try await Installation.offerd.run(arguments, directory: directory.url)
    }

    /// Runs a script that finds the program in `$offerd`.
    private func shell(_ script: String, in directory: TemporaryDirectory) throws -> Command {
        try Command.run(
            "bash", ["-c", script], environment: BuiltProgram.base.merging(["offerd": Installation.offerd.path]) { $1 },
            directory: directory.url)
    }

    /// An installation by root for the service's user.
    private static let canGive = geteuid() == 0 && getpwnam("daemon") != nil

    /// The files below a folder by name, each with its mode and content.
    ///
    /// - Parameter all: with the database and the tokens, which no two installations have in common.
    private func files(_ folder: URL, all: Bool = false) throws -> [String: String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        let own = names.filter { all || !$0.contains("offers.sqlite") && !$0.contains("tokens/") }
        return try own.reduce(into: [:]) { files, name in
            let path = folder.appending(path: name).path
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            let content = FileManager.default.contents(atPath: path)?.base64EncodedString() ?? "folder"
            files[name] = "\(String(mode ?? 0, radix: 8)) \(content)"
        }
    }

    /// The commands after `next:`.
    private func nextCommands(_ run: Command) throws -> [[String]] {
        let lines = run.text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        return try lines.suffix(from: #require(lines.firstIndex(of: "next:"))).dropFirst().map { ShellWords.split($0) }
    }

    @Test("the commands that it prints lead to a running server with offers, whatever the folder is called")
    func next() async throws {
        let directory = try TemporaryDirectory()
        let made = try await offerd("init", "the shop", in: directory)
        #expect(made.status == 0, "\(made.errorText)")
        let commands = try nextCommands(made)
        #expect(commands.map(\.first) == ["offerd", "offerctl", "offerctl"])
        let check = try await offerd("keys", "check", "--config", "the shop/offerd.yaml", in: directory)
        #expect(check.status == 0 && check.text.contains("\naudit\n"), "\(check.text)\(check.errorText)")
        let doctor = try await offerd("doctor", "--config", "the shop/offerd.yaml", in: directory)
        #expect(doctor.status == 0 && !doctor.text.contains("keys.yaml has no `audit`"), "\(doctor.text)")
        // The port of the configuration may be in use here, and there is no terminal to ask at.
        let words = commands.enumerated().map { index, words in
            let extra = [["--listen", "127.0.0.1:0"], ["--server", "$url"], ["--confirm"]][index]
            return (words.dropFirst().map { "'\($0)'" } + extra).joined(separator: " ")
        }
        let script = """
            mkfifo line; (exec "$offerd" \(words[0]) >line) & server=$!; exec 3<line; IFS= read -r first <&3
            trap 'kill -TERM $server; cat <&3; wait $server' EXIT
            url=${first#listening on }; export XDG_CONFIG_HOME=$PWD/settings
            offerctl=$(dirname "$offerd")/offerctl
            "$offerctl" \(words[1]) && "$offerctl" \(words[2]) && "$offerctl" offers list
            """
        let run = try shell(script, in: directory)
        #expect(run.status == 0, "\(run.errorText)")
        #expect(run.text.contains("marketing of com.example.pro in LocalTesting"), "\(run.text)")
        #expect(run.text.contains("\ncomeback-half-price  running "), "\(run.text)")
    }

    @Test("only its owner can read what it creates")
    func modes() async throws {
        let directory = try TemporaryDirectory()
        #expect(try await offerd("init", "shop", in: directory).status == 0)
        for (name, file) in try files(directory.url, all: true) {
            #expect(file.hasPrefix(file.hasSuffix(" folder") ? "700 " : "600 "), "\(name): \(file.prefix(4))")
        }
        let names = Set(try files(directory.url.appending(path: "shop"), all: true).keys)
        #expect(
            Set(names.filter { !$0.hasPrefix("offers.sqlite-") }) == [
                "offerd.yaml", "keys.yaml", "keys", "keys/SubscriptionKey_LOCALTEST1.p8", "keys/audit.p8",
                "keys/digest.key", "root", "root/root.der", "root/intermediate.der", "root/leaf.der", "root/leaf.key",
                "catalog.yaml", "offers.sqlite", "tokens", "tokens/LocalTesting-client", "tokens/LocalTesting-app",
                "tokens/LocalTesting-marketing",
            ])
    }

    @Test(
        "as root it gives the keys to the service's user, who can read the documents but not change them",
        .enabled(if: canGive))
    func owner() async throws {
        let directory = try TemporaryDirectory()
        #expect(try shell("chmod 755 .", in: directory).status == 0)
        let made = try await offerd("init", "shop", "--owner", "daemon", in: directory)
        #expect(made.status == 0, "\(made.errorText)")
        #expect(made.text.contains("\n  runuser -u daemon -- offerd serve --config shop/offerd.yaml\n"), "\(made.text)")
        let shown = try Command.run(
            "stat",
            [
                "--format", "%a %U:%G %n", "shop", "shop/keys.yaml", "shop/keys", "shop/keys/audit.p8", "shop/root",
                "shop/catalog.yaml", "shop/offers.sqlite", "shop/tokens", "shop/tokens/LocalTesting-app",
            ],
            directory: directory.url)
        #expect(
            shown.text == """
                700 daemon:daemon shop
                640 root:daemon shop/keys.yaml
                700 daemon:daemon shop/keys
                600 daemon:daemon shop/keys/audit.p8
                700 daemon:daemon shop/root
                640 root:daemon shop/catalog.yaml
                600 daemon:daemon shop/offers.sqlite
                700 daemon:daemon shop/tokens
                600 daemon:daemon shop/tokens/LocalTesting-app

                """)
    }

    @Test("a second run makes and changes nothing, also if tokens were taken away")
    func again() async throws {
        let directory = try TemporaryDirectory()
        #expect(try await offerd("init", in: directory).status == 0)
        let keys = try await offerd("api-keys", "list", in: directory).text
        let before = try files(directory.url)
        try FileManager.default.removeItem(atPath: directory.path("tokens/LocalTesting-client"))
        let again = try await offerd("init", in: directory)
        #expect(again.status == 0, "\(again.errorText)")
        #expect(again.text.hasPrefix("`com.example.pro` is in the installation in this folder already\n\nnext:\n"))
        #expect(try files(directory.url) == before)
        #expect(try await offerd("api-keys", "list", in: directory).text == keys)
        #expect(!FileManager.default.fileExists(atPath: directory.path("tokens/LocalTesting-client")))
    }

    @Test("the first keys are a client, an app and a marketing key, each with its token in a file")
    func apiKeys() async throws {
        let directory = try TemporaryDirectory()
        #expect(try await offerd("init", in: directory).status == 0)
        let list = try await offerd("api-keys", "list", in: directory).text
        for role in ["client", "app", "marketing"] {
            let file = directory.path("tokens/LocalTesting-\(role)")
            let token = try String(contentsOfFile: file, encoding: .utf8)
            let match = try #require(token.wholeMatch(of: /offerd_([a-z]+)_test_([0-9a-f]{16})_[0-9a-f]{64}\n/))
            #expect(match.output.1 == role)
            let row = try #require(list.split(separator: "\n").first { $0.hasPrefix(match.output.2) })
            #expect(row.contains(" com.example.pro  LocalTesting  \(role) "), "\(row)")
        }
        #expect(list.split(separator: "\n").count == 4, "\(list)")
    }

    @Test("without a place for the database the files are made, and the same command goes on once there is one")
    func databaseLater() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("database: data/offers.sqlite\nkeys: keys.yaml\n", to: "offerd.yaml")
        let run = try await offerd("init", in: directory)
        #expect(run.status == 1)
        #expect(
            run.errorText.hasSuffix("\nhint: the files are complete; the same command again makes the API keys\n"),
            "\(run.errorText)")
        let before = try files(directory.url)
        #expect(before.keys.contains("keys.yaml"))
        try FileManager.default.createDirectory(atPath: directory.path("data"), withIntermediateDirectories: false)
        let again = try await offerd("init", in: directory)
        #expect(again.status == 0, "\(again.errorText)")
        #expect(again.text.contains("\n  tokens/LocalTesting-marketing"), "\(again.text)")
        #expect(try files(directory.url).filter { $0.key != "data" } == before)
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
                        mkdir -m 700 "$0"; cp -a whole "$1"; rm "$1"/offers.sqlite* "$1"/tokens/*; moved=$2; last=$3; shift 3
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
                        """
                        finished the installation in `\(folder)`, which an interrupted `offerd init` had begun
                          tokens/LocalTesting-client \u{20}
                        """), "\(run.text)")
                #expect(try files(directory.url.appending(path: folder)) == whole, "\(folder)")
            }
        }
        try FileManager.default.createDirectory(
            atPath: directory.path("early/.offerd-init.part/keys"), withIntermediateDirectories: true)
        try directory.write("half a k", to: "early/.offerd-init.part/keys/audit.p8")
        #expect(try await offerd("init", "early", in: directory).status == 0)
        #expect(try Set(files(directory.url.appending(path: "early")).keys) == Set(whole.keys))
    }

    @Test("another program's file in the way of an interrupted installation stays, and is named")
    func inTheWay() async throws {
        let directory = try TemporaryDirectory()
        #expect(try await offerd("init", "whole", in: directory).status == 0)
        let made = try Command.run(
            "sh", ["-ec", "mkdir shop; mv whole shop/.offerd-init; echo mine >shop/keys.yaml"], directory: directory.url
        )
        #expect(made.status == 0, "\(made.errorText)")
        let run = try await offerd("init", "shop", in: directory)
        #expect(run.status == 1)
        #expect(
            run.errorText == """
                error: `shop/keys.yaml` is in the way of the new file of that name
                hint: move it, then run the command again

                """)
        #expect(try String(contentsOfFile: directory.path("shop/keys.yaml"), encoding: .utf8) == "mine\n")
        let moved = try Command.run("mv", ["shop/keys.yaml", "mine.yaml"], directory: directory.url)
        #expect(moved.status == 0)
        #expect(try await offerd("init", "shop", in: directory).status == 0)
        #expect(try await offerd("keys", "check", "--config", "shop/offerd.yaml", in: directory).status == 0)
    }

    @Test("a link where the folder of the keys belongs is not followed")
    func linkedFolder() async throws {
        let directory = try TemporaryDirectory()
        let made = try shell("mkdir shop elsewhere && ln -s ../elsewhere shop/keys", in: directory)
        #expect(made.status == 0)
        let run = try await offerd("init", "shop", in: directory)
        #expect(run.status == 1)
        #expect(run.errorText.hasPrefix("error: `shop/keys` is in the way of the new file of that name\n"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("elsewhere")) == [])
    }

    @Test(
        "prepared files are taken only from a folder that this user made and no other can change",
        arguments: [
            "mv whole elsewhere && ln -s ../elsewhere shop/.offerd-init",
            "mv whole shop/.offerd-init && chmod 777 shop/.offerd-init",
            "mv whole shop/.offerd-init && chown daemon shop/.offerd-init",
            "mv whole elsewhere && ln -s ../elsewhere shop/.offerd-init.part",
            "mv whole shop/.offerd-init.part && chown daemon shop/.offerd-init.part",
        ])
    func foreign(preparation: String) async throws {
        guard Self.canGive || !preparation.contains("daemon") else { return }
        let directory = try TemporaryDirectory()
        #expect(try await offerd("init", "whole", in: directory).status == 0)
        #expect(try shell("mkdir shop && \(preparation)", in: directory).status == 0)
        let before = try files(directory.url)
        let run = try await offerd("init", "shop", in: directory)
        #expect(run.status == 1)
        let name = preparation.hasSuffix(".part") ? "shop/.offerd-init.part" : "shop/.offerd-init"
        #expect(
            run.errorText == """
                error: `\(name)` is not a folder that `offerd init` made as this user
                hint: run the command as the user who ran it before, or delete `\(name)`

                """)
        #expect(try files(directory.url) == before)
    }

    @Test("the service's user cannot reach the files until they are complete", .enabled(if: canGive))
    func draft() async throws {
        let directory = try TemporaryDirectory()
        // The flush of the first file that it writes ends it; the one before is of the folder.
        let run = try shell(
            #"strace -f -o /dev/null -e inject=fsync:signal=KILL:when=2 "$offerd" init shop --owner daemon"#,
            in: directory)
        #expect(run.status != 0)
        let draft = try shell("stat --format '%a %U' shop shop/.offerd-init.part", in: directory)
        #expect(draft.text == "700 daemon\n700 root\n", "\(draft.text)\(draft.errorText)")
    }

    @Test(
        "other options than those of the interrupted run are refused",
        arguments: [["--app", "com.example.other"], ["--owner", "daemon"]])
    func otherOptions(_ options: [String]) async throws {
        guard Self.canGive || !options.contains("daemon") else { return }
        let directory = try TemporaryDirectory()
        #expect(try await offerd("init", "whole", in: directory).status == 0)
        #expect(try shell("mkdir shop && mv whole shop/.offerd-init", in: directory).status == 0)
        func initialise(_ options: [String]) async throws -> Command {
            try await Installation.offerd.run(["init", "shop"] + options, directory: directory.url)
        }
        for name in ["shop/.offerd-init/keys.yaml", "shop/keys.yaml"] {
            let before = try files(directory.url)
            let run = try await initialise(options)
            #expect(run.status == 1)
            #expect(
                run.errorText == """
                    error: an interrupted `offerd init` made `\(name)` with other options
                    hint: repeat the command with those options; to start over, delete `shop/.offerd-init` and what it created

                    """)
            #expect(try files(directory.url) == before)
            _ = try shell("mv shop/.offerd-init/keys.yaml shop", in: directory)
        }
        #expect(try await initialise([]).status == 0)
    }

    @Test("a folder in which another run works, or that cannot be opened, is named with the reason")
    func unavailable() throws {
        let directory = try TemporaryDirectory()
        let locked = try shell(#"mkdir shop && flock shop "$offerd" init shop"#, in: directory)
        #expect(
            locked.errorText.hasPrefix("error: another `offerd init` is running in `shop`\n"), "\(locked.errorText)")
        #expect(locked.status == 1)
        let file = try shell(#"echo mine >file && "$offerd" init file"#, in: directory)
        #expect(file.errorText.hasPrefix("error: `file` cannot be opened: not a directory\n"), "\(file.errorText)")
        guard geteuid() == 0 else { return }
        let closed = try shell(
            #"""
            chmod 755 . && mkdir -m 300 closed && chown 65534 closed &&
                setpriv --reuid=65534 --regid=65534 --clear-groups "$offerd" init closed
            """#, in: directory)
        #expect(
            closed.errorText.hasPrefix("error: `closed` cannot be opened: permission denied\n"), "\(closed.errorText)")
    }

    @Test("folders that the service's user could not use are named before anything is created", .enabled(if: canGive))
    func unusable() async throws {
        let directory = try TemporaryDirectory()
        let made = try shell(
            """
            chmod 755 . && mkdir -p shop package/data && mkdir -m 700 private && chgrp daemon package &&
            printf 'listen: 127.0.0.1:0\ndatabase: data/offers.sqlite\nkeys: keys.yaml\n' >package/offerd.yaml &&
            chgrp daemon package/offerd.yaml
            """, in: directory)
        #expect(made.status == 0, "\(made.errorText)")
        let here = directory.url.resolvingSymlinksInPath().path
        func expect(_ arguments: [String], _ message: String, _ hint: String, status: Int32 = 1) async throws {
            let run = try await Installation.offerd.run(["init"] + arguments, directory: directory.url)
            #expect(run.errorText == "error: \(message)\nhint: \(hint)\n")
            #expect(run.status == status)
        }
        for (folder, path) in [("shop", "shop"), ("package", "package/data")] {
            try await expect(
                [folder, "--owner", "daemon"], "`daemon` cannot write to `\(here)/\(path)`",
                "`chown daemon \(here)/\(path)`, or name another folder")
        }
        try await expect(
            ["private/shop", "--owner", "daemon"], "`daemon` cannot write to `\(here)/private/shop`",
            "let `daemon` pass through the folders above it, or name a folder elsewhere")
        try await expect(
            ["package"], "the service that reads `package/offerd.yaml` could not use files that belong to root",
            "add `--owner` with the user that runs the service, such as `--owner offerd`", status: 2)
        #expect(try files(directory.url.appending(path: "shop")).isEmpty)
        #expect(try Set(files(directory.url.appending(path: "package")).keys) == ["data", "offerd.yaml"])
        #expect(try shell("chown daemon shop package/data", in: directory).status == 0)
        for folder in ["shop", "package"] {
            let run = try await offerd("init", folder, "--owner", "daemon", in: directory)
            #expect(run.status == 0, "\(run.errorText)")
        }
    }

    @Test("others can pass through the folders that it makes above its own", .enabled(if: canGive))
    func parents() async throws {
        let directory = try TemporaryDirectory()
        #expect(try shell("chmod 755 .", in: directory).status == 0)
        let run = try await offerd("init", "a/b/shop", "--owner", "daemon", in: directory)
        #expect(run.status == 0, "\(run.errorText)")
        let shown = try shell(
            "stat --format '%a %U %n' a a/b a/b/shop; cd a/b/shop && setpriv --reuid=daemon --regid=daemon --clear-groups \"$offerd\" migrate --config offerd.yaml",
            in: directory)
        #expect(shown.text.hasPrefix("755 root a\n755 root a/b\n700 daemon a/b/shop\n"), "\(shown.text)")
        #expect(shown.status == 0, "\(shown.errorText)")
    }

    @Test("Apple's key signs for Apple's environments, and one of its own for LocalTesting")
    func keys() async throws {
        let directory = try TemporaryDirectory()
        let key = "SubscriptionKey_2X9R4HXF34.p8"
        #expect(
            try await offerd("keys", "generate", "--out", key, "--key-id", "2X9R4HXF34", in: directory).status == 0)
        let made = try await offerd(
            "init", "shop", "--app", "com.example.pro", "--key", key, "--environment", "Sandbox", "--environment",
            "LocalTesting", "--issuer-id", "57246542-96fe-1a63-e053-0824d011072a", in: directory)
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
