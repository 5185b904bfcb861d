import OfferModel

/// An answer that is asked for often and writes itself, without an encoder.
protocol PlainlyWritten {
    /// Whether it holds nothing but what ``write(to:)`` writes.
    var isPlain: Bool { get }
    /// Writes it, with exactly the bytes that an encoder would write; members stand in the order of their names.
    func write(to json: inout JSONWriter) throws
}
