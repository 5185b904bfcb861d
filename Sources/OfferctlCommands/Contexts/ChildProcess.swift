import CommandLineSupport
import Dispatch
import Foundation
import Synchronization

/// A program in our own process group, with no signal blocked or ignored: it may use the terminal, and Ctrl-C ends both.
/// Foundation's `Process` would put it into the background.
final class ChildProcess: Sendable {
    /// Its output, and its errors where they are not shown, to be read.
    let streams: [Int32]
    private let id: pid_t
    private let ended = DispatchSemaphore(value: 0)
    private let result = Mutex<Int32?>(nil)

    /// `nil` if it cannot be run.
    init?(_ program: String, _ arguments: [String]) {
        // Where there is a user to read them, its errors may be a question.
        let captured = Console.canAsk ? [STDOUT_FILENO] : [STDOUT_FILENO, STDERR_FILENO]
        let pipes = captured.map { _ in Pipe() }
        // A child that held a pipe's other end would wait for itself once we stopped reading.
        for handle in pipes.flatMap({ [$0.fileHandleForReading, $0.fileHandleForWriting] }) {
            _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        #if os(macOS)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if isatty(STDIN_FILENO) == 0 {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        for (stream, pipe) in zip(captured, pipes) {
            posix_spawn_file_actions_adddup2(&actions, pipe.fileHandleForWriting.fileDescriptor, stream)
        }
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(clamping: POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let words = ([program] + arguments).map { strdup($0) }
        let variables = ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") }
        defer { (words + variables).forEach { free($0) } }
        var id: pid_t = 0
        guard posix_spawn(&id, program, &actions, &attributes, words + [nil], variables + [nil]) == 0 else {
            return nil
        }
        self.id = id
        // A file handle closes its descriptor with itself, so these are ours.
        streams = pipes.map { dup($0.fileHandleForReading.fileDescriptor) }
        Thread.detachNewThread { [self] in
            var status: Int32 = 0
            while waitpid(self.id, &status, 0) < 0, errno == EINTR {}
            result.withLock { $0 = status }
            ended.signal()
        }
    }

    deinit { streams.forEach { close($0) } }

    /// How it ended, as wait(2) has it; `nil` if the deadline comes first.
    func status(until deadline: DispatchTime) -> Int32? {
        guard ended.wait(timeout: deadline) == .success else { return nil }
        return result.withLock { $0 }
    }

    /// Ends it, and gives it a second to set the terminal back first.
    func end() {
        guard result.withLock({ $0 == nil }) else { return }
        kill(id, SIGTERM)
        if ended.wait(timeout: .now() + 1) == .timedOut { kill(id, SIGKILL) }
    }
}
