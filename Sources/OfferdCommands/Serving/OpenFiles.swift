import Foundation

/// How many files and connections the system lets this process have open.
enum OpenFiles {
    /// Kept for the database, the log and what the runtime opens.
    private static let reserve = 64

    /// Raises the limit as far as the system lets this process, and says where it is then.
    ///
    /// Connections the system refuses for want of a descriptor would be asked for again and again, by which one core is
    /// busy: it is better never to get there.
    static func raiseLimit() -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 0 }
        var raised = limit
        raised.rlim_cur = limit.rlim_max
        return Int(clamping: setrlimit(resource, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur)
    }

    /// How many connections may be open where the limit of open files is this: some always, and no more than wanted.
    static func connections(wanted: Int, limit: Int) -> Int {
        max(1, min(wanted, limit - reserve))
    }
}
