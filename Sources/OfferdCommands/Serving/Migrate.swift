import ArgumentParser
import SQLiteStore

struct Migrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Bring the database to this version's schema, making it if there is none.",
        discussion: """
            Migration goes forward only. Stop the server and keep a copy of the file first.

            Example:
              offerd migrate --config offerd.yaml
            """)

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        let setup = try options.setup()
        let steps = try SQLiteDatabase.migrate(path: setup.databasePath)
        for step in steps { try Terminal.output("migrated: \(step)") }
        try Terminal.output(
            steps.isEmpty ? "\(setup.databasePath) is up to date" : "\(setup.databasePath) is now up to date")
    }
}
