import OfferctlCommands

/// The `offerctl` program.
@main
enum Main {
    static func main() async {
        await OfferctlProgram.run()
    }
}
