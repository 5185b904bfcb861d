import ArgumentParser

/// The options of every command that works on the service's database.
struct ConfigurationOptions: ParsableArguments {
    @Option(help: "The configuration file.", completion: .file(extensions: ["yaml", "yml"]))
    var config: String

    @Option(help: "The database file, instead of the configuration's.", completion: .file())
    var database: String?

    @Option(help: "The keys file, instead of the configuration's.", completion: .file(extensions: ["yaml", "yml"]))
    var keys: String?

    func setup(listen: String? = nil) throws -> ServerSetup {
        try ServerSetup.read(
            config: config, flags: ServerSetup.Flags(listen: listen, database: database, keys: keys))
    }
}
