/// One step of the way into a JSON text.
enum JSONStep {
    /// The member of that name, in UTF-8.
    case member([UInt8])
    /// The element at that place, from 0.
    case element(Int)
}
