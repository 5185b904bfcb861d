public import OfferModel

extension AppStoreServerClient {
    /// One page of up to 20 transactions of a customer (Get Transaction History, v2), refunded ones included.
    ///
    /// - Parameters:
    ///   - id: any transaction of the customer, or the `appTransactionId`.
    ///   - query: which of them; the same for each page.
    ///   - revision: that of the page before; `nil` begins at the first.
    /// - Throws: ``AppStoreServerError``.
    public func transactionHistoryPage(
        of id: String, _ query: TransactionHistoryQuery = TransactionHistoryQuery(), after revision: String? = nil
    ) async throws(AppStoreServerError) -> AppStoreAnswer<TransactionHistoryPage> {
        let deadline = deadline
        let question = try Question.transactionHistory(id, query, revision)
        return try await inEitherEnvironment { endpoint throws(AppStoreServerError) in
            try await exchange.answer(TransactionHistoryPage.self, to: question, at: endpoint, by: deadline)
        }
    }

    /// All transactions of a customer, page after page, in the order Apple gives them. One that changed meanwhile may be
    /// there twice.
    ///
    /// After ``CallPolicy/maximumPages`` it stops with `hasMore`, and goes on from its `revision`.
    ///
    /// - Throws: ``AppStoreServerError``; then the pages before are lost, so for long histories fetch the pages.
    public func transactionHistory(
        of id: String, _ query: TransactionHistoryQuery = TransactionHistoryQuery(), after revision: String? = nil
    ) async throws(AppStoreServerError) -> AppStoreAnswer<TransactionHistoryPage> {
        let deadline = deadline
        let first = try Question.transactionHistory(id, query, revision)
        return try await inEitherEnvironment { endpoint throws(AppStoreServerError) in
            var all = try await exchange.answer(TransactionHistoryPage.self, to: first, at: endpoint, by: deadline)
            var pages = 1
            while all.hasMore, pages < policy.maximumPages {
                let next = try await exchange.answer(
                    TransactionHistoryPage.self, to: try Question.transactionHistory(id, query, all.revision),
                    at: endpoint, by: deadline)
                guard !next.hasMore || next.revision != all.revision else {
                    throw AppStoreServerError(
                        .unreadableAnswer, "Apple's history goes on for ever at revision `\(next.revision ?? "")`",
                        hint: "try again later")
                }
                all.append(next)
                pages += 1
            }
            return all
        }
    }

    /// The status of each subscription of a customer (Get All Subscription Statuses).
    ///
    /// - Parameters:
    ///   - id: any transaction of the customer.
    ///   - statuses: only these; none means all.
    /// - Throws: ``AppStoreServerError``.
    public func subscriptionStatuses(
        of id: String, only statuses: [SubscriptionStatus] = []
    ) async throws(AppStoreServerError) -> AppStoreAnswer<SubscriptionStatuses> {
        let deadline = deadline
        let question = try Question.subscriptionStatuses(id, statuses)
        return try await inEitherEnvironment { endpoint throws(AppStoreServerError) in
            try await exchange.answer(SubscriptionStatuses.self, to: question, at: endpoint, by: deadline)
        }
    }

    /// One transaction (Get Transaction Info).
    ///
    /// - Parameter id: its `transactionId` or `originalTransactionId`; an `appTransactionId` is refused.
    /// - Returns: the transaction as a JWS.
    /// - Throws: ``AppStoreServerError``.
    public func signedTransaction(
        _ id: TransactionId
    ) async throws(AppStoreServerError) -> AppStoreAnswer<String> {
        let deadline = deadline
        let question = try Question.transactionInfo(id)
        return try await inEitherEnvironment { endpoint throws(AppStoreServerError) in
            try await exchange.answer(SignedTransactionInfo.self, to: question, at: endpoint, by: deadline)
                .signedTransactionInfo
        }
    }

    /// A customer's app transaction (Get App Transaction Info).
    ///
    /// - Parameter id: any transaction of the customer, or the `appTransactionId`.
    /// - Returns: the app transaction as a JWS.
    /// - Throws: ``AppStoreServerError``.
    public func signedAppTransaction(
        of id: String
    ) async throws(AppStoreServerError) -> AppStoreAnswer<String> {
        let deadline = deadline
        let question = try Question.appTransactionInfo(id)
        return try await inEitherEnvironment { endpoint throws(AppStoreServerError) in
            try await exchange.answer(SignedAppTransactionInfo.self, to: question, at: endpoint, by: deadline)
                .signedAppTransactionInfo
        }
    }

    /// What was bought with an order of the App Store (Look Up Order ID), asked at home alone: Apple knows no orders of
    /// the sandbox.
    ///
    /// - Parameter orderId: as on the customer's receipt, such as `MK5TTTVWJH`.
    /// - Throws: ``AppStoreServerError``.
    public func order(_ orderId: String) async throws(AppStoreServerError) -> AppStoreOrder {
        let question = try Question.orderLookup(orderId)
        return try await exchange.answer(AppStoreOrder.self, to: question, at: home, by: deadline)
    }
}
