import Synchronization

/// Protected headers read lately: Apple signs all data of a time under one, with kilobytes of certificates in it.
///
/// What a header says follows from its text alone, so an entry is never stale. There are few, so whoever sends ever new
/// ones only makes them be read anew.
final class RecentHeaders: Sendable {
    static let shared = RecentHeaders()

    private static let capacity = 8
    /// Apple's have some four thousand bytes; a longer one is a stranger's and not worth the memory.
    private static let longest = 16 * 1_024

    private let entries = Mutex<[(text: String, header: CompactJWS.Header)]>([])

    /// The header that the data begins with, and its length; `nil` if it has to be read.
    func header(of text: String) -> (header: CompactJWS.Header, length: Int)? {
        entries.withLock { entries in
            for (known, header) in entries {
                let length = known.utf8.count
                guard let end = text.utf8.index(text.startIndex, offsetBy: length, limitedBy: text.utf8.endIndex),
                    end < text.utf8.endIndex, text.utf8[end] == UInt8(ascii: "."),
                    text[..<end].utf8.elementsEqual(known.utf8)
                else { continue }
                return (header, length)
            }
            return nil
        }
    }

    /// Keeps a header; the earliest kept makes room.
    func remember(_ header: CompactJWS.Header, text: String) {
        guard text.utf8.count <= Self.longest else { return }
        entries.withLock { entries in
            guard !entries.contains(where: { $0.text == text }) else { return }
            if entries.count >= Self.capacity { entries.removeFirst() }
            entries.append((text, header))
        }
    }
}
