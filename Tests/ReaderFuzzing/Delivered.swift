/// The input of a reader.
struct Delivered {
    /// The text that it gets.
    let text: String
    /// The texts under a signature that holds, each with the payload that was signed; nothing else may be accepted.
    private(set) var genuine: [String: [UInt8]]

    /// A text that nobody has signed.
    init(unsigned text: String) {
        self.text = text
        genuine = [:]
    }

    /// A payload with the chain's own header.
    init(signing payload: [UInt8], by chain: FuzzedChain) throws {
        text = try chain.signed(payload)
        genuine = [text: payload]
    }

    /// A notification around signed parts.
    init(signing payload: [UInt8], around parts: [Delivered], by chain: FuzzedChain) throws {
        try self.init(signing: payload, by: chain)
        for part in parts { genuine.merge(part.genuine) { $1 } }
    }

    /// A text that was signed, or that was made to look so.
    init(_ text: String, payload: [UInt8], isGenuine: Bool) {
        self.text = text
        genuine = isGenuine ? [text: payload] : [:]
    }
}
