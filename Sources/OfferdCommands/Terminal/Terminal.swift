import ArgumentParser
import Foundation
import LocalAppStore
import OfferApplication
import OfferStore
import OpenSSLCrypto

/// Where commands write: data to standard output, messages to standard error.
enum Terminal {
    /// Writes a line of data.
    ///
    /// - Throws: ``CommandFailure`` if nobody can get it, such as on a full disk.
    static func output(_ line: String) throws {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
        } catch {
            throw CommandFailure.failed("standard output cannot be written")
        }
    }

    /// Writes a line for people.
    static func message(_ line: String) {
        // Where standard error is closed too, there is nobody left to tell.
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Prints what went wrong and gives the exit code.
    static func report(_ error: any Error) -> Int32 {
        if let failure = error as? DocumentFailure {
            failure.lines.forEach(message)
            return failure.exitCode
        }
        if let code = error as? ExitCode { return code.rawValue }
        guard let failure = failure(error) else { return reportUsage(error) }
        message("error: \(failure.message)")
        for hint in failure.hints { message("hint: \(hint)") }
        return failure.exitCode
    }

    /// An error in words; `nil` for one of the argument parser's.
    static func failure(_ error: any Error) -> CommandFailure? {
        switch error {
        case let failure as CommandFailure:
            failure
        case let error as SigningKeyError:
            .configuration(error.detail, hints: [error.hint])
        case let error as CertificateError:
            .configuration(error.detail, hints: [error.hint])
        case let error as LocalRootError:
            .configuration(error.message, hints: [error.hint])
        case let error as ScenarioError:
            .failed(error.description, hints: error.hint.map { [$0] } ?? [])
        case let error as StoreError:
            .failed(error.detail, hints: error.hint.map { [$0] } ?? [])
        case let error as OpenSSLFailure:
            .failed(error.description)
        case RequestError.clockBehind(let lag):
            .failed(lag.detail, hints: [lag.hint])
        case let lag as ClockLag:
            .failed(lag.detail, hints: [lag.hint])
        case RequestError.notReady(let detail, let hint):
            .configuration(detail, hints: hint.map { [$0] } ?? [])
        case RequestError.appStoreFailed(let failure):
            .failed(failure.detail, hints: failure.hint.map { [$0] } ?? [])
        default:
            nil
        }
    }

    /// The argument parser's own errors, with the exit code of docs/design.md#commands instead of 64.
    private static func reportUsage(_ error: any Error) -> Int32 {
        guard Offerd.exitCode(for: error) != .success else {
            do {
                try output(Offerd.fullMessage(for: error))
                return 0
            } catch {
                return report(error)
            }
        }
        guard Offerd.exitCode(for: error) == .validationFailure else {
            message("error: \(error)")
            return 1
        }
        return report(UsageText.failure(Offerd.message(for: error), full: Offerd.fullMessage(for: error)))
    }
}
