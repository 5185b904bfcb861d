/// The type and help text of a metric in `/metrics`. docs/monitoring.md has the same list.
struct MetricDescription: Sendable {
    enum Kind: Sendable {
        case counter, gauge
        /// With the upper bounds of its buckets.
        case histogram([Double])

        var word: String {
            switch self {
            case .counter: "counter"
            case .gauge: "gauge"
            case .histogram: "histogram"
            }
        }
    }

    let kind: Kind
    let help: String

    static let seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    private static let ages: [Double] = [1, 10, 60, 300, 900, 3_600, 14_400, 86_400, 604_800]
    private static let powers: [Double] = [1, 2, 4, 8, 16, 32, 64, 128, 256]

    static let all: [String: MetricDescription] = [
        "offerd_api_key_expires_timestamp_seconds": gauge(
            "When the first API key of a role expires, in seconds since 1970; keys that another one replaces are left out."
        ),
        "offerd_backup_last_success_timestamp_seconds": gauge(
            "When `offerd backup` last succeeded, in seconds since 1970; 0 if never."),
        "offerd_build_info": gauge("1, with the version of offerd."),
        "offerd_certificate_expires_timestamp_seconds": gauge(
            "When the first certificate in use expires, in seconds since 1970."),
        "offerd_chain_cache_lookups_total": counter(
            "Certificate chains of signed data: remembered (hit), or their signatures checked (miss)."),
        "offerd_clock_behind_seconds": gauge(
            "How far the clock is behind what was recorded, or signed by the App Store; beyond 60 nothing is signed."),
        "offerd_clock_timestamp_seconds": gauge("The time that the service goes by, in seconds since 1970."),
        "offerd_commit_duration_seconds": histogram(
            seconds, "How long a durable commit took with the writes it shared."),
        "offerd_commit_writes": histogram(powers, "How many writes shared a commit."),
        "offerd_database_lock_wait_seconds_total": counter(
            "How long commits waited for the lock of the PostgreSQL database."),
        "offerd_database_moved": gauge("1 if the names of the database's files no longer lead to them; else 0."),
        "offerd_database_round_trips_total": counter("Round trips to the PostgreSQL server, by what they were for."),
        "offerd_database_size_bytes": gauge("Size of the database file."),
        "offerd_database_wal_size_bytes": gauge("Size of the database's write-ahead log."),
        "offerd_decisions_total": counter("Decisions by offer, outcome and the first rule that brought it about."),
        "offerd_disk_free_bytes": gauge("Room left on the disk that holds the database."),
        "offerd_elected": gauge(
            "1 if this process does what one of all on the database has to do: on PostgreSQL events and retention, on a file writing the log back; else 0."
        ),
        "offerd_http_request_duration_seconds": histogram(seconds, "Time from the headers of a request to its answer."),
        "offerd_http_requests_total": counter("Answered requests by the template of their route."),
        "offerd_issued_offers_total": counter(
            "Answers with an offer: newly issued, signed again for the same issued offer, or stored signatures reused."),
        "offerd_ledger_proof_last_success_timestamp_seconds": gauge(
            "When `offerd verify-ledger` last proved the ledger, in seconds since 1970; 0 if never."),
        "offerd_limit_used_ratio": gauge(
            "The share that is used of a total or a budget of an offer that can be issued."),
        "offerd_log_lines_dropped_total": counter("Lines of the log that standard error did not take."),
        "offerd_notification_age_seconds": histogram(
            ages, "Time from the App Store's signature to the arrival of a notification."),
        "offerd_notifications_refused_total": counter("Notifications whose signed data was refused, by the reason."),
        "offerd_notifications_total": counter("Notifications of the App Store that were verified and kept."),
        "offerd_paused_since_timestamp_seconds": gauge(
            "When an offer was paused until it is resumed, in seconds since 1970; `*` is every offer."),
        "offerd_paused_until_timestamp_seconds": gauge(
            "When the pause of an offer ends by itself, in seconds since 1970; `*` is every offer."),
        "offerd_problems_total": counter("Answers that are problem documents, by their code."),
        "offerd_ready": gauge(
            "1 if a durable commit, a read, the clock and room on the disk are as they must be; else 0."),
        "offerd_redemptions_total": counter("Uses of offers as they become known, and what is unusual about them."),
        "offerd_reload_succeeded": gauge(
            "1 unless the files of the configuration could not be applied when they were last read; else 0."),
        "offerd_retention_last_success_timestamp_seconds": gauge(
            "When what is no longer needed was last removed, in seconds since 1970."),
        "offerd_retention_removed_total": counter("Texts and records that retention has removed."),
        "offerd_signing_key_works": gauge("1 if the key passed its latest self-test, which runs every hour; else 0."),
        "offerd_webhook_deliveries_total": counter(
            "Attempts to deliver an event to a webhook, and events that were dropped after three days."),
        "offerd_webhook_lag_seconds": gauge("Age of the oldest event that was not yet tried for a webhook."),
        "offerd_webhook_waiting_events": gauge("Events that wait to be sent to a webhook again."),
        "offerd_witness_works": gauge("1 if the witness of the audit has every checkpoint; else 0."),
        "offerd_writes_waiting": gauge("Writes that wait for a commit."),
        "process_cpu_seconds_total": counter("Processor time of the process, user and system."),
        "process_max_fds": gauge("Most files that the process may have open."),
        "process_open_fds": gauge("Files that the process has open."),
        "process_resident_memory_bytes": gauge("Memory of the process that is resident."),
        "process_start_time_seconds": gauge("When the process started, in seconds since 1970."),
        "process_virtual_memory_bytes": gauge("Memory of the process that is mapped."),
    ]

    private static func counter(_ help: String) -> MetricDescription { MetricDescription(kind: .counter, help: help) }
    private static func gauge(_ help: String) -> MetricDescription { MetricDescription(kind: .gauge, help: help) }
    private static func histogram(_ bounds: [Double], _ help: String) -> MetricDescription {
        MetricDescription(kind: .histogram(bounds), help: help)
    }
}
