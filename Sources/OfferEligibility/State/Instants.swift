import OfferModel

extension [Instant] {
    /// Sorts them, each once. There are a few of them: to sort is quicker than to hash.
    mutating func sortOnce() {
        guard count > 1 else { return }
        sort()
        var kept = 1
        for place in 1..<count where self[place] != self[kept - 1] {
            self[kept] = self[place]
            kept += 1
        }
        removeSubrange(kept...)
    }
}
