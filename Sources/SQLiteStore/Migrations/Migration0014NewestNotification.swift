extension Migration {
    /// The notifications of a scope in the order in which they were stored, so that the newest is found at once however
    /// many there are. New ones come at the end.
    static let newestNotification = Migration(
        name: "0014-newest-notification",
        sql: """
            CREATE INDEX notification_newest ON notification (scope_id, sequence);
            """)
}
