import Foundation

/// The way in which an input becomes the text that a reader gets; the second letter of an input names it.
enum Delivery: Character, CaseIterable {
    /// The rest of the input is a payload, genuinely signed.
    case payload = "p"
    /// The rest of the input is the whole text. Nobody has signed it.
    case text = "j"
    /// A header, a NUL and a payload, genuinely signed; `{leaf}`, `{intermediate}` and `{root}` stand for certificates.
    case header = "h"
    /// ``Edits`` and a payload: the edits are made in the signed text.
    case edited = "e"
    /// A certificate's place, ``Edits`` and a payload: the edits are made in the certificate, then everything is
    /// signed.
    case certificate = "c"
    /// A number and three parts, each ending in a NUL, the second of them repeated that often; genuinely signed.
    case repeated = "r"
    /// A transaction, a NUL, renewal info, a NUL and a notification; all are genuinely signed, and `{transaction}` and
    /// `{renewalInfo}` in the notification stand for the first two.
    case nested = "n"

    /// The rest of the input as a delivery, a repeated part so often that it has at most `longest` bytes.
    func deliver(_ input: inout InputBytes, by chain: FuzzedChain, longest: Int) throws -> Delivered {
        switch self {
        case .payload: try Delivered(signing: input.remainder(), by: chain)
        case .text: Delivered(unsigned: String(decoding: input.remainder(), as: UTF8.self))
        case .header: try header(&input, chain)
        case .edited: try edited(&input, chain)
        case .certificate: try certificate(&input, chain)
        case .repeated: try Delivered(signing: repeated(&input, longest), by: chain)
        case .nested: try nested(&input, chain)
        }
    }

    /// Nothing but the three names brings in certificates, so a header without one of them cannot be accepted.
    private func header(_ input: inout InputBytes, _ chain: FuzzedChain) throws -> Delivered {
        var header = String(decoding: input.part(), as: UTF8.self)
        let payload = input.remainder()
        var isWhole = true
        for (name, der) in zip(["{leaf}", "{intermediate}", "{root}"], chain.certificates) {
            isWhole = isWhole && header.contains(name)
            header = header.replacingOccurrences(of: name, with: Data(der).base64EncodedString())
        }
        let text = try chain.signed(payload, header: Array(header.utf8))
        return Delivered(text, payload: payload, isGenuine: isWhole)
    }

    private func edited(_ input: inout InputBytes, _ chain: FuzzedChain) throws -> Delivered {
        let edits = Edits(&input)
        let payload = input.remainder()
        let genuine = Array(try chain.signed(payload).utf8)
        let edited = edits.applied(to: genuine)
        return Delivered(String(decoding: edited, as: UTF8.self), payload: payload, isGenuine: edited == genuine)
    }

    private func certificate(_ input: inout InputBytes, _ chain: FuzzedChain) throws -> Delivered {
        var certificates = chain.certificates
        let place = Int(input.byte()) % certificates.count
        certificates[place] = Edits(&input).applied(to: certificates[place])
        let payload = input.remainder()
        let text = try chain.signed(payload, header: FuzzedChain.header(certificates))
        return Delivered(text, payload: payload, isGenuine: certificates == chain.certificates)
    }

    private func repeated(_ input: inout InputBytes, _ longest: Int) -> [UInt8] {
        let count = input.number()
        let (beginning, unit, end) = (input.part(), input.part(), input.part())
        let most = unit.isEmpty ? 0 : min(count, longest / unit.count)
        return beginning + Array(repeatElement(unit, count: most).joined()) + end
    }

    private func nested(_ input: inout InputBytes, _ chain: FuzzedChain) throws -> Delivered {
        let transaction = try Delivered(signing: input.part(), by: chain)
        let renewalInfo = try Delivered(signing: input.part(), by: chain)
        let notification = String(decoding: input.remainder(), as: UTF8.self)
            .replacingOccurrences(of: "{transaction}", with: transaction.text)
            .replacingOccurrences(of: "{renewalInfo}", with: renewalInfo.text)
        return try Delivered(signing: Array(notification.utf8), around: [transaction, renewalInfo], by: chain)
    }
}
