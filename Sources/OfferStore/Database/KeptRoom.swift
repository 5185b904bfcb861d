/// The room on the disk that a driver keeps for writes that stop something: on a full disk it gives it up to them, and to
/// no other write.
///
/// Bound to the task, so that what wraps a database hands it on without knowing of it.
public enum KeptRoom {
    /// Whether the writes of this task may use it.
    @TaskLocal public static var isOpen = false
}
