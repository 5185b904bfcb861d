import ArgumentParser
import OfferCatalog
import OfferModel

struct KeysList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the keys that keys.yaml names.",
        discussion: """
            Reads no private key, so it also works where one is missing; `offerd keys check` tries them.

            Example:
              offerd keys list --config offerd.yaml
            """)

    @Option(help: "The configuration file.", completion: .file(extensions: ["yaml", "yml"]))
    var config: String

    func run() throws {
        let setup = try ServerSetup.read(config: config)
        let rows = setup.keys.apps.flatMap { app in
            app.keys.map { key in
                [
                    app.bundleId.rawValue, key.keyId.rawValue, key.use.rawValue,
                    key.environments.map(\.rawValue).joined(separator: ", "), key.privateKey.text,
                ]
            }
        }
        for line in Columns.lines(["APP", "KEY ID", "USE", "ENVIRONMENTS", "PRIVATE KEY"], rows) {
            try Terminal.output(line)
        }
    }
}
