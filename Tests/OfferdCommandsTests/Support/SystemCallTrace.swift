import Foundation
import OfferTestSupport

/// The trace of a program by `strace -f -y`: its system calls, each with the lines where it began and ended.
struct SystemCallTrace {
    struct Call {
        var name: String
        /// The arguments and the result, as the lines give them.
        var text: String
        var begin: Int
        var end: Int

        /// The file or socket it is about, as `-y` shows it.
        var file: Substring {
            guard let open = text.firstIndex(of: "<"), let close = text[open...].firstIndex(of: ">") else { return "" }
            return text[text.index(after: open)..<close]
        }

        var isWrite: Bool { ["write", "writev", "pwrite64", "pwritev", "sendto", "sendmsg"].contains(name) }
        var isFlush: Bool { ["fsync", "fdatasync"].contains(name) && text.hasSuffix("= 0") }
    }

    /// The program that traces, before the program that is traced.
    static func command(log: String) -> [String] {
        let calls =
            "openat,read,recvfrom,recvmsg,readv,write,writev,pwrite64,pwritev,sendto,sendmsg,fsync,fdatasync,ftruncate"
        return [
            "strace", "-f", "--seccomp-bpf", "-y", "-s", "64", "-e", "trace=\(calls)", "-e", "signal=none", "-o", log,
        ]
    }

    /// Whether this machine has `strace` and lets it trace.
    static let isPossible = (try? Command.run("strace", ["-o", "/dev/null", "true"]))?.status == 0

    let calls: [Call]
    /// The traced process.
    let process: Int32?

    init(_ log: String) {
        var calls = [Call]()
        var unfinished = [String: Int]()
        let lines = log.split(separator: "\n")
        for (number, line) in lines.enumerated() {
            let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
            guard parts.count == 2 else { continue }
            let (thread, text) = (String(parts[0]), parts[1].drop { $0 == " " })
            if text.hasPrefix("<... ") {
                guard let index = unfinished.removeValue(forKey: thread), let rest = text.firstRange(of: "resumed>")
                else { continue }
                calls[index].text += text[rest.upperBound...]
                calls[index].end = number
            } else if let parenthesis = text.firstIndex(of: "(") {
                let mark = " <unfinished ...>"
                let isWhole = !text.hasSuffix(mark)
                let arguments = text[text.index(after: parenthesis)...].dropLast(isWhole ? 0 : mark.count)
                if !isWhole { unfinished[thread] = calls.count }
                calls.append(
                    Call(
                        name: String(text[..<parenthesis]), text: String(arguments), begin: number,
                        end: isWhole ? number : .max))
            }
        }
        self.calls = calls
        process = lines.first?.split(separator: " ").first.flatMap { Int32($0) }
    }

    /// The calls that received something beginning so.
    func received(_ beginning: String) -> [Call] {
        calls.filter { $0.name.hasPrefix("re") && $0.text.contains("\"\(beginning)") }
    }

    /// The calls that sent something beginning so.
    func sent(_ beginning: String) -> [Call] {
        calls.filter { $0.isWrite && $0.file.hasPrefix("socket:") && $0.text.contains("\"\(beginning)") }
    }

    /// Whether a call to flush a file began after one call had ended, and ended before another began.
    func isFlushed(_ file: Substring, after first: Call, before second: Call) -> Bool {
        calls.contains { $0.isFlush && $0.file == file && $0.begin > first.end && $0.end < second.begin }
    }
}
