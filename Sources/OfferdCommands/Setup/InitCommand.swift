import ArgumentParser
import CommandLineSupport
import Foundation
import OfferDocuments
import OfferModel

struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract:
            "Create an installation, or add an environment to it: configuration, keys, a first catalog, API keys.",
        discussion: """
            Creates offerd.yaml, keys.yaml, the keys they name and the database, readable by their owner only, a first \
            catalog, and the tokens of a client, an app and a marketing key. Overwrites nothing: an offerd.yaml that names \
            this keys.yaml is kept, and any other file in the way is named. After an interruption, run it again with the \
            same options.

            Without options the installation is for LocalTesting, with a throwaway key and a local App Store that signs \
            test purchases. Production and Sandbox need the In-App Purchase key from App Store Connect (Users and Access, \
            Integrations, In-App Purchase) and the issuer ID shown above it. The key file is copied.

            In a folder that has an installation it adds the given environments to it, or the given app, and changes no \
            setting and no key that is there. A running server serves them at once.

            Example:
              offerd init
              offerd init --app com.example.shop --environment Production \\
                --key SubscriptionKey_2X9R4HXF34.p8 --app-apple-id 1234567890 \\
                --issuer-id 57246542-96fe-1a63-e053-0824d011072a
              offerd init /etc/offerd --owner offerd
            """)

    @Argument(help: "The folder to create it in; made if it does not exist.", completion: .directory)
    var folder = "."

    @Option(
        help: "The app's bundle ID. (default: the only app of the installation, or \(FirstCatalog.example) for a trial)"
    )
    var app: String?

    @Option(help: "Production, Sandbox or LocalTesting; repeat it for several. (default: LocalTesting)")
    var environment: [AppStoreEnvironment] = []

    @Option(help: "The private key that signs offers (PKCS#8 PEM, such as Apple's .p8).", completion: .file())
    var key: String?

    @Option(help: "The key's ID. (default: the one in a file name such as SubscriptionKey_2X9R4HXF34.p8)")
    var keyId: String?

    @Option(help: "The issuer ID of the keys, from App Store Connect.")
    var issuerId: String?

    @Option(help: "The app's Apple ID, a number; Production needs it.")
    var appAppleId: Int64?

    @Option(help: "The user that runs the service, who gets the keys. Needs root. (default: the current user)")
    var owner: String?

    func validate() throws {
        guard !folder.isEmpty else { throw ValidationError("the name of the folder is empty") }
    }

    func run() async throws {
        let start = URL(filePath: FileManager.default.currentDirectoryPath, directoryHint: .isDirectory)
        let account = try owner.map(Account.init)
        let present = try PresentInstallation(in: folder)
        let installation = try NewInstallation(self, addingTo: present?.keys)
        let staged = try StagedFiles(folder, owner: account)
        let place = folder == "." ? "this folder" : "`\(folder)`"
        let isAdded = present != nil && !installation.environments.isEmpty
        if let present {
            let names = installation.environments.map(\.rawValue).joined(separator: ", ")
            if isAdded {
                let kept = try staged.add(installation, to: present).filter { $0 != "keys.yaml" }
                try Console.output("added \(names) of `\(installation.app)` to the installation in \(place):")
                try show(installation, kept: kept)
            } else {
                try staged.addTokens(to: present)
                try Console.output("`\(installation.app)` is in the installation in \(place) already")
            }
        } else {
            switch try staged.create(installation) {
            case .finished:
                try Console.output(
                    "finished the installation in \(place), which an interrupted `offerd init` had begun")
            case .created(let kept):
                try Console.output("created an installation of `\(installation.app)` in \(place):")
                try show(installation, kept: kept)
            }
        }
        let variable = ProcessInfo.processInfo.environment["OFFERD_DATABASE"].flatMap { $0.isEmpty ? nil : $0 }
        let database = variable.map { $0.contains("://") ? $0 : URL(filePath: $0, relativeTo: start).path }
        let setup = try ServerSetup.read(config: "offerd.yaml", database: database, environment: [:])
        try await makeAPIKeys(of: installation, setup, isNew: present == nil, as: account)
        try Console.output("\nnext:")
        for command in nextCommands(installation, setup, isServed: present != nil) {
            try Console.output("  \(command)")
        }
    }

    private func show(_ installation: NewInstallation, kept: [String]) throws {
        for (name, meaning) in installation.contents {
            try line(name, kept.contains(name) ? "kept as it was" : meaning)
        }
    }

    private func line(_ name: String, _ meaning: String) throws {
        try Console.output("  \(name.padded(to: 39)) \(meaning)")
    }

    /// As the service's user, who owns the database and the tokens.
    private func makeAPIKeys(
        of installation: NewInstallation, _ setup: ServerSetup, isNew: Bool, as account: Account?
    ) async throws {
        let served = setup.keys.app(BundleId(installation.app))?.environments ?? []
        let wanted = environment.isEmpty ? served : environment
        let former = account?.become()
        defer { former?.restore() }
        do {
            let files = try await FirstAPIKeys(
                installation: installation, environments: wanted.filter(served.contains)
            ).make(setup, isNew: isNew)
            for (name, meaning) in files { try line(name, meaning) }
        } catch {
            guard let failure = CommandFailure.words(error) else { throw error }
            throw CommandFailure(
                failure.status,
                lines: failure.lines + ["hint: the files are complete; the same command again makes the API keys"])
        }
    }

    /// The commands that lead to the first offer, as a shell takes them.
    private func nextCommands(_ installation: NewInstallation, _ setup: ServerSetup, isServed: Bool) -> [String] {
        func path(_ name: String) -> String {
            (folder == "." ? name : URL(filePath: folder).appending(path: name).relativePath).shellWord
        }
        let program = owner.map { "runuser -u \($0) -- offerd" } ?? "offerd"
        let isFound = ConfigurationFile.places.contains(path("offerd.yaml"))
        let config = isFound ? "" : " --config \(path("offerd.yaml"))"
        let served = setup.keys.app(BundleId(installation.app))?.environments ?? []
        let place = (installation.environments + environment).first { served.contains($0) } ?? served.first
        let token = installation.token(.marketing, in: place ?? .localTesting)
        return [
            "\(program) \(isServed ? "doctor" : "serve")\(config)",
            "offerctl login\(setup.serverOption) --token-file \(path(token))",
            "offerctl catalog apply \(path(installation.catalog))",
        ]
    }
}

extension ServerSetup {
    /// ` --server URL`, where the server does not listen as `offerctl` expects.
    fileprivate var serverOption: String {
        let scheme = configuration.tls == nil ? "http" : "https"
        let isEverywhere = ["0.0.0.0", "::"].contains(listen.host)
        let address = "\(scheme)://\(ListenAddress(host: isEverywhere ? "127.0.0.1" : listen.host, port: listen.port))"
        return address == "http://127.0.0.1:8080" || listen.port == 0 ? "" : " --server \(address)"
    }
}

extension String {
    /// The text as one word of a shell's command line.
    fileprivate var shellWord: String {
        let isPlain = allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+:@".contains($0)) }
        return isPlain && !isEmpty ? self : "'" + replacing("'", with: #"'\''"#) + "'"
    }
}
