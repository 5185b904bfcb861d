/// Something that is read line by line and can be taken up again in the middle.
///
/// Implementations read as they are asked, never the whole at once, and turn every unreadable line into a refusal: they
/// throw only when the source itself cannot be read any more, such as a file that went away.
public protocol ImportSource: AnyObject {
    /// The size in the units of ``ImportLine/end``, to tell how far reading is.
    var size: Int64 { get }

    /// Goes on behind a line that was read before; nothing was if the position is 0.
    ///
    /// - Parameters:
    ///   - position: that line's ``ImportLine/end``.
    ///   - lines: how many lines had been read.
    /// - Throws: what keeps the source from being read.
    func resume(at position: Int64, after lines: Int64) throws

    /// The next line; `nil` at the end.
    ///
    /// - Throws: what keeps the source from being read.
    func next() throws -> ImportLine?
}
