import ArgumentParser

/// The options of every command that works on the service's database.
struct ConfigurationOptions: ParsableArguments {
    @Option(help: "The configuration file.")
    var config: String

    @Option(help: "The database file, instead of the configuration's.")
    var database: String?

    @Option(help: "The keys file, instead of the configuration's.")
    var keys: String?

    func setup(listen: String? = nil) throws -> ServerSetup {
        try ServerSetup.read(
            config: config, flags: ServerSetup.Flags(listen: listen, database: database, keys: keys))
    }
}
