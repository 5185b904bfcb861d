import Foundation

/// How far a long command is, on one line of standard error; for people only, so nothing if that is no terminal.
final class ProgressLine {
    private let isShown = isatty(STDERR_FILENO) != 0
    private var shown = -1

    func show(thousandths: Int) {
        guard isShown, thousandths / 10 != shown else { return }
        shown = thousandths / 10
        write("\r\(shown) %")
    }

    /// Takes the line away.
    func end() {
        if shown >= 0 { write("\r     \r") }
    }

    private func write(_ text: String) {
        // Where standard error is closed, there is nobody left to tell.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
