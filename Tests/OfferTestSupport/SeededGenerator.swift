/// SplitMix64: a small generator whose whole sequence follows from its seed, so a failed property can be run again.
public struct SeededGenerator: RandomNumberGenerator {
    /// The seed to print when a property fails.
    public let seed: UInt64
    private var state: UInt64

    /// Starts the sequence of that seed.
    public init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
