/// A version of numbers and dots, such as `4.10.1`, ordered number by number: `1.10` is later than `1.9`, and `2.0` is `2`.
///
/// Anything else, such as `4.2-beta`, is no version here: how such words are ordered is each app's own business.
public struct DottedVersion: Sendable, Hashable, Comparable {
    /// Without the zeros at the end.
    private let numbers: [Int64]

    /// Reads 1 to 16 numbers of at most nine digits; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        var scanner = DigitScanner(text)
        var numbers: [Int64] = []
        repeat {
            guard let number = scanner.number(), numbers.count < 16 else { return nil }
            numbers.append(number)
        } while scanner.skip(".")
        guard scanner.isAtEnd else { return nil }
        while numbers.last == 0 { numbers.removeLast() }
        self.numbers = numbers
    }

    /// By the first number that differs; what is missing is zero.
    public static func < (left: Self, right: Self) -> Bool {
        left.numbers.lexicographicallyPrecedes(right.numbers)
    }
}
