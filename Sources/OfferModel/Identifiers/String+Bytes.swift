extension String {
    /// Whether both are the same UTF-8 bytes.
    ///
    /// Identifiers are compared for every row of a history, and a loop over `utf8` costs several times as much as one over
    /// its storage.
    func isSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { own.elementsEqual($0) }
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
