import Foundation
import OfferTestSupport

/// The real program, in a process of its own.
enum OfferctlProcess {
    /// Runs a command line with just this environment.
    static func run(
        _ arguments: [String], _ environment: [String: String] = [:], directory: URL? = nil
    ) async throws -> Command {
        try await BuiltProgram("offerctl").run(arguments, environment: environment, directory: directory)
    }
}
