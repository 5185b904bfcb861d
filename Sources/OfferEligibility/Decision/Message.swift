/// A sentence for people, written when it is read: a decision has dozens of them, and most are read by nobody.
///
/// It is its text: two sentences are the same if they read the same, however they are made.
struct Message: Sendable {
    private let write: @Sendable () -> String

    init(_ write: @escaping @Sendable () -> String) {
        self.write = write
    }

    var text: String { write() }
}

extension Message: Hashable, Codable {
    static func == (left: Message, right: Message) -> Bool { left.text == right.text }

    func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        self.init { text }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
