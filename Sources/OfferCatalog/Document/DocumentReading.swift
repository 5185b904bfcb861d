/// The frame of every reader: bytes → document → value, with one log.
enum DocumentReading {
    static func read<Value: Sendable>(
        _ bytes: [UInt8], _ body: (Field) -> Value?
    ) throws(InvalidDocument) -> ValidDocument<Value> {
        let log = IssueLog()
        let root: DocumentNode
        do throws(DocumentRefusal) {
            root = try DocumentParser.parse(bytes)
        } catch {
            throw InvalidDocument(errors: [error.issue], warnings: [])
        }
        return try log.outcome(body(Field(node: root, path: "", log: log)))
    }
}
