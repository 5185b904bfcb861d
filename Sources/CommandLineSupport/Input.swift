import ArgumentParser
import Foundation
package import OfferModel

package enum InputFile {
    /// The bytes of a file, or what a pipe such as `/dev/stdin` or `<(command)` brings.
    ///
    /// - Parameters:
    ///   - noun: what the file is, for the message.
    ///   - most: how many bytes it may have.
    package static func bytes(
        _ path: String, _ noun: String? = nil, most: Int? = nil
    ) throws(CommandFailure) -> [UInt8] {
        let bytes: Data?
        do {
            // Not `Data(contentsOf:)`: it reads as many bytes as the file says it has, and a pipe says none.
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            defer { try? file.close() }
            bytes = if let most { try file.read(upToCount: most + 1) } else { try file.readToEnd() }
        } catch {
            throw failure(path, noun, "cannot be read: \(reason(error, path))")
        }
        if let most, let bytes, bytes.count > most { throw failure(path, noun, "has more than \(most) bytes") }
        return Array(bytes ?? Data())
    }

    package static func text(_ path: String, _ noun: String) throws(CommandFailure) -> String {
        guard let text = String(validating: try bytes(path, noun), as: UTF8.self) else {
            throw failure(path, noun, "is not UTF-8 text")
        }
        return text
    }

    private static func failure(_ path: String, _ noun: String?, _ what: String) -> CommandFailure {
        CommandFailure(.usage, "\(noun.map { $0 + " " } ?? "")`\(path)` \(what)")
    }

    private static func reason(_ error: any Error, _ path: String) -> String {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: URL(filePath: path).path, isDirectory: &isDirectory) else {
            return "there is no such file"
        }
        if isDirectory.boolValue { return "it is a directory" }
        return (error as? CocoaError)?.code == .fileReadNoPermission ? "permission denied" : "the system refused it"
    }
}

extension LowercaseUUID {
    /// Reads an argument that is an id.
    ///
    /// - Parameter noun: what it is, for the message: `an event's id`.
    package static func argument(_ noun: String) -> @Sendable (String) throws -> LowercaseUUID {
        { text in
            guard let id = LowercaseUUID(text) else { throw ValidationError("\(noun) is a UUID") }
            return id
        }
    }
}

extension Instant {
    package static var wallClock: Instant {
        Instant(milliseconds: Int64(saturating: Date().timeIntervalSince1970 * 1_000))
    }

    /// Reads an argument: `2026-12-01T00:00:00Z`, any offset, or milliseconds since 1970.
    package static func argument(_ text: String) throws -> Instant {
        let moment = Int64(text).map(Instant.init(milliseconds:)) ?? Instant(iso8601: text)
        guard let moment, InputBounds.instants.contains(moment) else {
            throw ValidationError("write a moment with its zone, such as `2026-12-24T00:00:00Z`")
        }
        return moment
    }

    /// Reads the end of something: `2026-12-24`, which is the beginning of that day in UTC, or a moment.
    package static func dateArgument(_ text: String) throws -> Instant {
        guard let moment = Instant(iso8601: text + "T00:00:00Z") ?? (try? argument(text)) else {
            throw ValidationError("write a day such as `2026-12-24`, or a moment with its zone: `2026-12-24T18:00:00Z`")
        }
        return moment
    }
}
