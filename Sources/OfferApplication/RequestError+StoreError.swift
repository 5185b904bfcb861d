import OfferStore

extension RequestError {
    /// What a failure of the store means to who asked; `nil` for other errors, and for defects of ours.
    ///
    /// The store's own words may name files of the machine, so they belong in the log and not in the answer.
    public init?(storeFailure error: any Error) {
        guard let error = error as? StoreError else { return nil }
        switch error {
        case .busy:
            self = .busy
        case .readOnly, .full, .notMigrated, .newerThanThisVersion, .unavailable:
            self = .notReady(detail: "the database cannot be used now", hint: "tell the operator the requestId")
        case .corrupt, .constraint:
            return nil
        }
    }
}
