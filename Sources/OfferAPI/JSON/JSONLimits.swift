/// How much of each a JSON text may hold.
struct JSONLimits {
    /// How deeply arrays and objects may nest.
    let depth: Int
    /// How many bytes a member's name may have, escapes resolved.
    let nameLength: Int
    /// How many characters a number may have.
    let numberLength: Int
    /// Whether a member given twice is left to whoever reads the text next.
    let allowsRepeatedMembers: Bool

    /// A request: none needs more than four levels, and the longest number that a 64-bit float needs is shorter.
    static let request = JSONLimits(depth: 32, nameLength: 255, numberLength: 64, allowsRepeatedMembers: false)
    /// A document whose own reader is as strict, and says more about what is wrong; the depth only bounds the recursion.
    static let document = JSONLimits(
        depth: 256, nameLength: .max, numberLength: .max, allowsRepeatedMembers: true)
}
