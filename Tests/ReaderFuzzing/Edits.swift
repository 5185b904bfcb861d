/// A few changes of single bytes, as somebody makes who tampers with what another has signed.
struct Edits {
    private enum Change: UInt8, CaseIterable {
        case replace
        case insert
        case delete
        case cut
    }

    private let changes: [(change: Change, place: Int, byte: UInt8)]

    /// One to eight changes: for each its kind, two bytes for its place and the new byte.
    init(_ input: inout InputBytes) {
        let count = Int(input.byte() % 8) + 1
        changes = (0..<count).map { _ in
            let change = Change.allCases[Int(input.byte()) % Change.allCases.count]
            return (change, input.number(), input.byte())
        }
    }

    /// The bytes with every change made. Places from 32,768 on are counted from the end, and round where there are not
    /// so many bytes.
    func applied(to original: [UInt8]) -> [UInt8] {
        var bytes = original
        for (change, place, byte) in changes where !bytes.isEmpty {
            let steps = (place & 0x7FFF) % bytes.count
            let place = place < 0x8000 ? steps : bytes.count - 1 - steps
            switch change {
            case .replace: bytes[place] = byte
            case .insert: bytes.insert(byte, at: place)
            case .delete: bytes.remove(at: place)
            case .cut: bytes.removeSubrange(place...)
            }
        }
        return bytes
    }
}
