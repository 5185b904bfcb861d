extension StringProtocol {
    /// At most 100 characters, for messages that repeat what somebody sent.
    ///
    /// Counted in Unicode scalars: one visible character can be made of any number of them.
    var shortened: String {
        let text = String(self)
        let start = text.unicodeScalars.prefix(100)
        return start.endIndex == text.unicodeScalars.endIndex ? text : String(start) + "…"
    }
}
