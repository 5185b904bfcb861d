extension JSONForm {
    /// The string's bytes, escapes resolved.
    mutating func string() throws(RequestFault) -> [UInt8] {
        index += 1
        var text = [UInt8]()
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return text
            case UInt8(ascii: "\\"):
                text += try escape()
            case 0..<0x20:
                throw fault("a control character must be escaped")
            default:
                text.append(byte)
                index += 1
            }
        }
        throw fault("the text does not end")
    }

    private mutating func escape() throws(RequestFault) -> [UInt8] {
        index += 1
        let byte = peek
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return byte.map { [$0] } ?? []
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            var code = try codeUnit()
            if (0xD800...0xDBFF).contains(code), skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) {
                let low = try codeUnit()
                guard (0xDC00...0xDFFF).contains(low) else { throw fault("half a surrogate pair") }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw fault("half a surrogate pair") }
            return Array(String(Character(scalar)).utf8)
        default:
            throw fault("no such escape")
        }
    }

    private mutating func codeUnit() throws(RequestFault) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw fault("four hexadecimal digits must stand here")
            }
            code = code << 4 | UInt32(truncatingIfNeeded: digit)
            index += 1
        }
        return code
    }

    mutating func number() throws(RequestFault) {
        let start = index
        _ = skip(UInt8(ascii: "-"))
        if !skip(UInt8(ascii: "0")) { try digits() }
        if skip(UInt8(ascii: ".")) { try digits() }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            _ = skip(UInt8(ascii: "+")) || skip(UInt8(ascii: "-"))
            try digits()
        }
        guard index - start <= limits.numberLength else {
            throw RequestFault(pointer, .invalidValue, "a number has at most \(limits.numberLength) characters")
        }
    }

    private mutating func digits() throws(RequestFault) {
        let start = index
        while let byte = peek, isDigit(byte) { index += 1 }
        guard index > start else { throw fault("a digit must stand here") }
    }

    mutating func word(_ word: String) throws(RequestFault) {
        for byte in word.utf8 where !skip(byte) { throw fault("a value must stand here") }
    }
}
