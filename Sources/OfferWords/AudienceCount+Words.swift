package import OfferAPI

extension AudienceCount {
    package var words: String {
        switch self {
        case .exactly(let number): String(number)
        case .fewerThan(let number): "fewer than \(number)"
        }
    }

    /// Whether it is a number above zero.
    package var isTold: Bool {
        if case .exactly(let number) = self { number > 0 } else { false }
    }
}
