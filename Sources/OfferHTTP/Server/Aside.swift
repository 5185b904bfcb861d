/// Work that may take long, so that it is not done on the threads that read and write sockets (decision 0035).
enum Aside {
    /// The most bytes of a body whose request is quick: two or three JWS of Apple's.
    private static let quickBody = 24 * 1_024

    /// Whether a request with so long a body may take long.
    static func isNeeded(forBody length: Int) -> Bool { length > quickBody }

    /// Runs a body on the threads for work, where it was not there already.
    @concurrent static func run<Result: Sendable>(
        if isNeeded: Bool = true, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        guard isNeeded else { return try await body() }
        return try await withTaskExecutorPreference(globalConcurrentExecutor) { @concurrent in try await body() }
    }
}
