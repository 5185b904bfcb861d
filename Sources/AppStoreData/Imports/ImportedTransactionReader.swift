import FoundationEssentials
public import OfferModel
public import OfferSigning

/// A purchase as an operator's export has it.
public struct ImportedTransaction: Sendable, Hashable {
    /// The purchase.
    public var transaction: Transaction
    /// How its subscription renews, if the export says so.
    public var renewalInfo: RenewalInfo?
    /// The app's own name of the customer.
    public var customerId: CustomerId?
}

/// Reads a decoded transaction in Apple's spelling, with what an export adds and what it may leave out.
///
/// Added are the members `customerId`, and `renewalInfo` with Apple's decoded renewal info. Left out may be `bundleId`;
/// `signedDate`, for which the date of the export stands, or else the last thing that happened to the purchase; and in
/// `renewalInfo` also the ids of the subscription and of its product. Members of no meaning here are passed over, as in
/// signed data: Apple adds some over time.
public struct ImportedTransactionReader: Sendable {
    private let terms: Terms

    /// A reader for one app.
    ///
    /// - Parameter exportedAt: when the export was made, if that is known.
    public init(bundleId: BundleId, exportedAt: Instant? = nil) {
        terms = Terms(bundleId: bundleId, exportedAt: exportedAt)
    }

    /// Reads one JSON object.
    ///
    /// - Throws: ``SignedDataRefusal`` with `malformedPayload`, naming the member if it is one's fault.
    public func read(_ bytes: [UInt8]) throws(SignedDataRefusal) -> ImportedTransaction {
        try PayloadJSON.refusing {
            try JSONDecoder().decode(Envelope.self, from: Data(bytes), configuration: terms).imported
        }
    }

    private struct Terms: Sendable {
        var bundleId: BundleId
        var exportedAt: Instant?
    }

    private struct Envelope: DecodableWithConfiguration {
        let imported: ImportedTransaction

        init(from decoder: any Decoder, configuration terms: Terms) throws {
            let container = try decoder.container(keyedBy: MemberName.self)
            var members = PayloadMembers(container, kind: .transaction)
            try members.requireKind()
            members.defaults.texts = ["bundleId": terms.bundleId.rawValue]
            members.defaults.date = try terms.exportedAt ?? Self.newest(members)
            let transaction = try Transaction(members: members)
            try transaction.requireReadablePeriod()
            imported = ImportedTransaction(
                transaction: transaction,
                renewalInfo: try members.object("renewalInfo", kind: .renewalInfo).map { nested in
                    var nested = nested
                    nested.defaults.texts = [
                        "originalTransactionId": transaction.originalTransactionId.rawValue,
                        "productId": transaction.productId.rawValue,
                    ]
                    nested.defaults.date = transaction.signedDate
                    let info = try RenewalInfo(members: nested)
                    try info.requireReadablePeriod(within: "renewalInfo.")
                    return info
                },
                customerId: try members.identifier("customerId"))
        }

        /// The last thing that happened to it.
        private static func newest(_ members: PayloadMembers) throws(SignedDataRefusal) -> Instant? {
            let dates = [try members.date("purchaseDate"), try members.date("revocationDate")]
            return dates.compactMap(\.self).max()
        }
    }
}
