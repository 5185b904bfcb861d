/// The word that was probably meant.
package enum Suggestion {
    /// The name here for words of other systems, which are in lower case.
    private static let meanings: [String: [String]] = [
        "active": ["subscribed"], "and": ["all"], "annual": ["P1Y", "yearly"],
        "ended": ["expired", "archived"], "eq": ["is"],
        "equals": ["is"], "free": ["freeTrial"], "grace": ["inGracePeriod"], "greaterthan": ["moreThan"],
        "gt": ["moreThan"], "gte": ["atLeast"], "identifier": ["offerIdentifier"], "inactive": ["expired", "draft"],
        "intro": ["introductory"], "lapsed": ["expired"], "lt": ["lessThan"], "lte": ["atMost"], "max": ["atMost"],
        "min": ["atLeast"], "monthly": ["P1M"], "name": ["id"], "never": ["neverSubscribed"], "notequals": ["isNot"],
        "oneof": ["in"], "or": ["any"], "quarterly": ["P3M"], "refunded": ["revoked"], "retention": ["promotional"],
        "trial": ["freeTrial", "introductoryOffer", "introductory"], "weekly": ["P1W"], "yearly": ["P1Y", "annual"],
    ]

    /// How many candidates are compared by their edits, each of which takes as many steps as both have characters.
    private static let mostCompared = 100

    /// The candidate that means the same as the word, else the one with the fewest edits from it, if it is near enough
    /// to be a slip; `nil` otherwise. Of many candidates only the first are looked at for a slip.
    package static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        // Of `com.example.pro.annual`, only the last part is such a word.
        let start = word.lastIndex(of: ".").map { word.index(after: $0) } ?? word.startIndex
        let meant = meanings[word[start...].lowercased(), default: []].map { String(word[..<start]) + $0 }
        if let same = candidates.first(where: meant.contains) { return same }
        let written = Array(word.lowercased().unicodeScalars)
        guard !written.isEmpty, written.count <= 64 else { return nil }
        let tolerance = written.count < 4 ? 0 : max(1, written.count / 3)
        var best: (word: String, distance: Int)?
        for candidate in candidates.prefix(mostCompared) {
            let other = Array(candidate.lowercased().unicodeScalars)
            guard (other.count - written.count).magnitude <= tolerance else { continue }
            guard let distance = distance(written, other, atMost: tolerance), distance < best?.distance ?? .max else {
                continue
            }
            best = (candidate, distance)
        }
        return best?.word
    }

    /// A hint that names the nearest candidate, else all of them if they are few.
    package static func hint(for word: String, among candidates: [String], noun: String) -> String? {
        if ["cancelled", "canceled"].contains(word.lowercased()), candidates.contains("subscribed") {
            return
                "a cancelled subscription is `subscribed` until it ends: add `subscription.willAutoRenew` with `is: false`"
        }
        if let nearest = nearest(to: word, among: candidates) { return "did you mean `\(nearest)`?" }
        guard !candidates.isEmpty, candidates.count <= 32 else { return nil }
        return "\(noun): " + candidates.map { "`\($0)`" }.joined(separator: ", ")
    }

    /// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment); `nil` beyond a bound.
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar], atMost bound: Int) -> Int? {
        var older = [Int](repeating: 0, count: right.count + 1)
        var previous = Array(0...right.count)
        var current = previous
        for row in 0..<left.count {
            current[0] = row + 1
            for column in 0..<right.count {
                let cost = left[row] == right[column] ? 0 : 1
                var least = min(previous[column] + cost, previous[column + 1] + 1, current[column] + 1)
                let isSwap =
                    row > 0 && column > 0 && left[row] == right[column - 1] && left[row - 1] == right[column]
                if isSwap { least = min(least, older[column - 1] + 1) }
                current[column + 1] = least
            }
            (older, previous, current) = (previous, current, older)
            // A swap counts from the row before.
            guard min(previous.min() ?? 0, older.min() ?? 0) <= bound else { return nil }
        }
        return previous[right.count] <= bound ? previous[right.count] : nil
    }
}
