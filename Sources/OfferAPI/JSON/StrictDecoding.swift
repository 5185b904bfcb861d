import OfferModel

/// Reading of request objects whose members are a closed list: an unknown one is an error, because a misspelt member
/// that is ignored would silently mean something else (docs/design.md#http).
enum StrictDecoding {
    /// Opens an object and refuses members that `Key` does not list.
    ///
    /// - Throws: ``RequestFault`` with the unknown members, the first of them with a hint, and the required ones that
    ///   are missing; `DecodingError` if it is not an object.
    static func container<Key: CodingKey & CaseIterable>(
        _ decoder: any Decoder, keyedBy type: Key.Type, requiring required: [Key] = []
    ) throws -> KeyedDecodingContainer<Key> {
        let known = Key.allCases.map(\.stringValue)
        let unknown = try decoder.container(keyedBy: AnyMember.self).allKeys.map(\.stringValue)
            .filter { !known.contains($0) }.sorted()
        let container = try decoder.container(keyedBy: type)
        let missing = required.filter { !container.contains($0) }.map(\.stringValue)
        guard unknown.isEmpty, missing.isEmpty else {
            let pointer = JSONPointer(decoder.codingPath)
            let hint = "known members: " + known.map { "`\($0)`" }.joined(separator: ", ")
            throw RequestFault(
                errors: unknown.prefix(RequestFault.maximumErrors).enumerated().map { place, name in
                    ProblemErrorBody(
                        pointer: pointer.appending(name).description, code: RequestErrorCode.unknownMember.rawValue,
                        detail: "there is no member `\(name.shortened)` here", hint: place == 0 ? hint : nil)
                }
                    + missing.map { name in
                        ProblemErrorBody(
                            pointer: pointer.appending(name).description, code: RequestErrorCode.missingMember.rawValue,
                            detail: "the member `\(name)` is missing")
                    }, of: unknown.count + missing.count)
        }
        return container
    }
}

extension KeyedDecodingContainer {
    /// Reads a list of words from a closed list.
    ///
    /// - Throws: ``RequestFault`` at a word that is not listed; `DecodingError` if it is not a list of texts.
    func decodeWords<Word: RawRepresentable<String> & CaseIterable>(
        _ type: Word.Type, forKey key: Key
    ) throws -> [Word]? {
        let pointer = JSONPointer(codingPath + [key])
        return try decodeIfPresent([String].self, forKey: key)?.enumerated().map { place, text in
            guard let word = Word(rawValue: text) else {
                let known = Word.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
                throw RequestFault(
                    pointer.appending(place), .invalidValue, "`\(text.shortened)` is not known here",
                    hint: "known: \(known)")
            }
            return word
        }
    }

    /// Reads a number, or what is made of one. For a number that does not fit, the decoder throws an error of its own
    /// that does not name its place.
    ///
    /// - Throws: ``RequestFault`` at such a number, else `DecodingError`.
    func decodeNumber<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        do {
            return try decodeIfPresent(type, forKey: key)
        } catch let error as DecodingError {
            throw error
        } catch {
            throw RequestFault(
                JSONPointer(codingPath + [key]), .invalidValue, "this must be a whole number of at most 64 bits")
        }
    }

    /// Reads what the backend says about the customer: values by the name after `signals.`.
    ///
    /// - Throws: ``RequestFault`` at a value that is not a fact; `DecodingError` if it is not an object.
    func decodeSignals(forKey key: Key) throws -> [String: FactValue] {
        try decodeFacts(forKey: key, called: "a signal") ?? [:]
    }

    /// Reads the device that asks.
    ///
    /// - Throws: ``RequestFault`` at an unknown member; `DecodingError`.
    func decodeDevice(forKey key: Key) throws -> DeviceRequest {
        guard contains(key), try !decodeNil(forKey: key) else { return DeviceRequest() }
        let container = try StrictDecoding.container(try superDecoder(forKey: key), keyedBy: DeviceMember.self)
        return DeviceRequest(
            appVersion: try container.decodeIfPresent(String.self, forKey: .appVersion),
            osVersion: try container.decodeIfPresent(String.self, forKey: .osVersion),
            locale: try container.decodeIfPresent(String.self, forKey: .locale),
            placement: try container.decodeIfPresent(String.self, forKey: .placement))
    }

    /// Reads values by name.
    ///
    /// - Parameter noun: what one of them is called, for the error.
    /// - Throws: ``RequestFault`` at a value that is not a fact; `DecodingError` if it is not an object.
    func decodeFacts(forKey key: Key, called noun: String) throws -> [String: FactValue]? {
        guard contains(key), try !decodeNil(forKey: key) else { return nil }
        let container = try nestedContainer(keyedBy: AnyMember.self, forKey: key)
        var values = [String: FactValue]()
        for member in container.allKeys {
            guard let value = try? container.decode(FactValue.self, forKey: member) else {
                throw RequestFault(
                    JSONPointer(container.codingPath + [member]), .wrongType,
                    "\(noun) must be a text, a finite number, true or false, an amount or a time",
                    hint: "an amount is {\"amount\": \"4.99\", \"currency\": \"USD\"}, a time is {\"at\": milliseconds}"
                )
            }
            values[member.stringValue] = value
        }
        return values
    }
}

struct AnyMember: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}

/// The members of a ``DeviceRequest`` on the wire.
enum DeviceMember: String, CodingKey, CaseIterable {
    case appVersion, osVersion, locale, placement
}
