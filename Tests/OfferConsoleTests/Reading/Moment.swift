import Foundation

/// A moment as pages write it, read by Foundation.
struct Moment {
    let milliseconds: Int

    init?(_ iso: String) {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: iso.contains("."))
        guard let date = try? style.parse(iso) else { return nil }
        milliseconds = Int(exactly: (date.timeIntervalSince1970 * 1_000).rounded()) ?? 0
    }
}

extension PageElement {
    /// Moments whose words are not those of their `datetime`, with seconds where there are any.
    var wrongMoments: [String] {
        all("time").compactMap { time in
            let words = time.children.compactMap { if case .text(let text) = $0 { text } else { nil } }.joined()
            let iso = time.attributes["datetime"] ?? ""
            let clock = iso.dropFirst(11).prefix(8)
            let shown = clock.hasSuffix(":00") ? clock.dropLast(3) : clock
            return words == "\(iso.prefix(10)) \(shown) UTC" ? nil : "\(iso): \(words)"
        }
    }
}
