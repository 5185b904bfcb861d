import OfferStore

/// The bytes of the texts and blobs that a running statement is bound to, in one piece of memory that is used for the next
/// run too.
///
/// Swift's texts have no address that holds beyond a closure, and to let SQLite copy each would be an allocation each.
final class BoundMemory {
    private static let least = 256
    /// What is kept for the next run at most.
    private static let most = 16_384

    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var used = 0

    deinit { memory.deallocate() }

    /// Makes room for values, before any of them is bound: memory that is bound must not move.
    func reserve(for values: [StoredValue]) {
        used = 0
        var needed = 0
        for value in values {
            switch value {
            case .text(let text): needed += text.utf8.count
            case .blob(let bytes): needed += bytes.count
            case .null, .integer: continue
            }
        }
        // Never without an address: SQLite takes text without one for null.
        if memory.baseAddress == nil || needed > memory.count {
            memory.deallocate()
            memory = .allocate(byteCount: max(needed, Self.least), alignment: 16)
        }
    }

    /// Copies a text.
    ///
    /// - Throws: ``StoreError/constraint(_:)`` for one with U+0000: whoever reads it by C's rules would lose what follows,
    ///   and two different texts become one.
    func keep(text: String) throws -> UnsafeRawBufferPointer {
        let kept =
            text.utf8.withContiguousStorageIfAvailable { keep(UnsafeRawBufferPointer($0)) } ?? keep(Array(text.utf8))
        guard !Self.hasZero(kept) else { throw StoreError.constraint("text without U+0000") }
        return kept
    }

    /// Copies bytes.
    func keep(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
        bytes.withUnsafeBytes(keep)
    }

    private func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let place = UnsafeMutableRawBufferPointer(rebasing: memory[used..<used + bytes.count])
        place.copyMemory(from: bytes)
        used += bytes.count
        return UnsafeRawBufferPointer(place)
    }

    /// Gives back what only a long value needed; nothing may be bound any more.
    func shrink() {
        guard memory.count > Self.most else { return }
        memory.deallocate()
        memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    /// Whether any byte is zero; recorded decisions have some thousand, so eight are looked at together.
    private static func hasZero(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            // Only from a byte that is zero does the one borrow into a highest bit that was not set.
            if (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0 { return true }
            index += 8
        }
        while index < bytes.count {
            if bytes[index] == 0 { return true }
            index += 1
        }
        return false
    }
}
