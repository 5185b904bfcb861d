public import ArgumentParser
public import OfferModel

extension AppStoreEnvironment: ExpressibleByArgument {}

extension Role: ExpressibleByArgument {}

extension Period: ExpressibleByArgument {
    /// Reads an ISO 8601 duration such as `P90D`.
    public init?(argument: String) {
        self.init(argument)
    }
}
