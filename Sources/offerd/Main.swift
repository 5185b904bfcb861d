import OfferdCommands

/// The `offerd` program.
@main
enum Main {
    static func main() async {
        await OfferdProgram.run()
    }
}
