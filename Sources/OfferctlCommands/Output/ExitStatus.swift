/// How `offerctl` ends (docs/design.md#commands).
enum ExitStatus: Int32, Sendable {
    /// It did what was asked.
    case done = 0
    /// The answer is no: not eligible, undetermined, an invalid catalog, or any other refusal by the server.
    case no = 1
    /// The command line or a file cannot be used.
    case usage = 2
    /// The server cannot be reached, or failed.
    case unavailable = 3
}
