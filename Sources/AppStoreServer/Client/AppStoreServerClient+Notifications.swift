extension AppStoreServerClient {
    /// One page of up to 20 notifications that Apple sent or tried to send (Get Notification History).
    ///
    /// - Parameters:
    ///   - query: which of them; the same for each page.
    ///   - paginationToken: that of the page before; `nil` begins at the first.
    /// - Throws: ``AppStoreServerError``.
    public func notificationHistoryPage(
        _ query: NotificationHistoryQuery, after paginationToken: String? = nil
    ) async throws(AppStoreServerError) -> NotificationHistoryPage {
        let question = try Question.notificationHistory(query, paginationToken)
        return try await exchange.answer(NotificationHistoryPage.self, to: question, at: home, by: deadline)
    }

    /// Hands on page after page of the notification history, each with its own time to be fetched. Whoever takes a page
    /// can note its `paginationToken` and go on from there.
    ///
    /// - Parameter take: is given each page before the next is asked for.
    /// - Throws: ``AppStoreServerError``, or what `take` throws.
    public func eachNotificationHistoryPage(
        _ query: NotificationHistoryQuery, after paginationToken: String? = nil,
        _ take: (NotificationHistoryPage) async throws -> Void
    ) async throws {
        var token = paginationToken
        while true {
            let page = try await notificationHistoryPage(query, after: token)
            try await take(page)
            guard page.hasMore else { return }
            guard page.paginationToken != token else {
                throw AppStoreServerError(
                    .unreadableAnswer, "Apple's notification history goes on for ever at one token",
                    hint: "try again later")
            }
            token = page.paginationToken
        }
    }

    /// Asks Apple to send a notification of the type `TEST` to the app's URL (Request a Test Notification). Not repeated
    /// when nobody knows whether it arrived.
    ///
    /// - Returns: a token to ask for the result with.
    /// - Throws: ``AppStoreServerError``.
    public func requestTestNotification() async throws(AppStoreServerError) -> String {
        try await exchange.answer(
            RequestedTestNotification.self, to: .testNotificationRequest, at: home, by: deadline
        ).testNotificationToken
    }

    /// What came of a test notification (Get Test Notification Status).
    ///
    /// - Throws: ``AppStoreServerError``; `notFound` while Apple has no result yet.
    public func testNotification(_ token: String) async throws(AppStoreServerError) -> NotificationHistoryItem {
        let question = try Question.testNotificationStatus(token)
        return try await exchange.answer(NotificationHistoryItem.self, to: question, at: home, by: deadline)
    }
}
