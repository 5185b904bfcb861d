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
        case .full, .readOnly, .damaged, .notMigrated, .newerThanThisVersion, .interrupted, .unavailable:
            self = .notReady(detail: error.publicDetail, hint: "tell the operator the requestId")
        case .corrupt, .corruptFacts, .constraint, .unrecorded:
            return nil
        }
    }
}

extension StoreError {
    /// What happened, for whoever asks over HTTP: no file of the machine is named.
    var publicDetail: String {
        switch self {
        case .full: "the disk that holds the database is full, so nothing can be recorded"
        case .readOnly: "the database cannot be written, so nothing can be recorded"
        case .damaged: "the database is damaged"
        case .corrupt, .corruptFacts: "the database holds a row that the service never writes"
        case .busy: "the database is held by another program, so nothing can be recorded"
        default: "the database cannot be used now"
        }
    }
}
