extension String {
    /// Whether both are the same UTF-8 bytes.
    ///
    /// Identifiers are compared for every row of a history, and a loop over `utf8` costs several times as much as one over
    /// its storage.
    @inlinable
    func isSameBytes(as other: String) -> Bool {
        isStoredLike(other) || hasSameBytes(as: other)
    }

    /// Whether both are the same to the bit, as short texts and copies of a long one are: then they are the same, however
    /// a text is stored. Of others nothing is said.
    @inlinable
    func isStoredLike(_ other: String) -> Bool {
        let (own, other) = (
            unsafeBitCast(self, to: (UInt64, UInt64).self), unsafeBitCast(other, to: (UInt64, UInt64).self)
        )
        return own == other
    }

    @usableFromInline
    func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable {
                isSame(UnsafeRawBufferPointer(own), UnsafeRawBufferPointer($0))
            }
        }.flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
    }

    /// Feeds the UTF-8 bytes, and how many there are.
    func hashBytes(into hasher: inout Hasher) {
        hasher.combine(utf8.count)
        if utf8.withContiguousStorageIfAvailable({ hasher.combine(bytes: UnsafeRawBufferPointer($0)) }) == nil {
            for byte in utf8 { hasher.combine(byte) }
        }
    }
}

/// Whether two texts of the same length are the same, eight bytes at a time.
private func isSame(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    var place = 0
    while place + 8 <= left.count {
        let (own, other) = (
            left.loadUnaligned(fromByteOffset: place, as: UInt64.self),
            right.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        )
        if own != other { return false }
        place += 8
    }
    while place < left.count {
        if left[place] != right[place] { return false }
        place += 1
    }
    return true
}
