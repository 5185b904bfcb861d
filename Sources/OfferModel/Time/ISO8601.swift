extension Instant: CustomStringConvertible {
    /// ISO 8601 in UTC; milliseconds are shown only where there are any: `2026-12-01T00:00:00Z`.
    public var description: String {
        guard !isOutsideCalendar else { return "\(milliseconds) ms" }
        let (date, timeOfDay) = dateAndTimeOfDay
        guard (0...9_999).contains(date.year) else { return padded(date.year, 4) + text(date, timeOfDay).dropFirst(4) }
        return text(date, timeOfDay)
    }

    /// The year, month, day, hour and minute in UTC, as ``description`` has them; `nil` outside the calendar.
    public var partsToTheMinute: [(name: String, text: String)]? {
        guard !isOutsideCalendar else { return nil }
        let (date, timeOfDay) = dateAndTimeOfDay
        let minutes = timeOfDay / Duration.minute
        return [
            ("year", padded(date.year, 4)), ("month", padded(date.month, 2)), ("day", padded(date.day, 2)),
            ("hour", padded(minutes / 60, 2)), ("minute", padded(minutes % 60, 2)),
        ]
    }

    /// Written digit by digit: messages are full of dates, and are written even if they are never read.
    private func text(_ date: CivilDate, _ timeOfDay: Int64) -> String {
        let seconds = timeOfDay / Duration.second
        let fraction = timeOfDay % Duration.second
        return String(unsafeUninitializedCapacity: 24) { bytes in
            var count = 0
            func put(_ byte: UInt8) {
                bytes[count] = byte
                count += 1
            }
            func put(_ value: Int64, _ width: Int) {
                var rest = value
                for place in stride(from: count + width - 1, through: count, by: -1) {
                    bytes[place] = UInt8(0x30 + rest % 10)
                    rest /= 10
                }
                count += width
            }
            put(Int64(date.year.magnitude % 10_000), 4)
            put(0x2D)
            put(date.month, 2)
            put(0x2D)
            put(date.day, 2)
            put(0x54)
            put(seconds / 3_600, 2)
            put(0x3A)
            put(seconds / 60 % 60, 2)
            put(0x3A)
            put(seconds % 60, 2)
            if fraction != 0 {
                put(0x2E)
                put(fraction, 3)
            }
            put(0x5A)
            return count
        }
    }

    /// Reads `2026-12-01T00:00:00Z`, with up to three decimals of a second and with `Z` or an offset such as `+02:00`.
    ///
    /// `nil` for anything else: a time without an offset means something different on every machine.
    public init?(iso8601 text: some StringProtocol) {
        var scanner = DigitScanner(text)
        guard let year = scanner.digits(4), scanner.skip("-"),
            let month = scanner.digits(2), scanner.skip("-"),
            let day = scanner.digits(2), scanner.skip("T") || scanner.skip("t"),
            let hour = scanner.digits(2), hour < 24, scanner.skip(":"),
            let minute = scanner.digits(2), minute < 60, scanner.skip(":"),
            let second = scanner.digits(2), second < 60,
            let date = CivilDate(year: year, month: month, day: day)
        else { return nil }
        var millisecond: Int64 = 0
        if scanner.skip(".") {
            guard let fraction = scanner.fractionInThousandths() else { return nil }
            millisecond = fraction
        }
        guard let offset = scanner.utcOffsetInMinutes(), scanner.isAtEnd else { return nil }
        let timeOfDay = (hour * 3_600 + minute * 60 + second) * Duration.second + millisecond
        self.init(milliseconds: date.daysSinceEpoch * Duration.day + timeOfDay - offset * Duration.minute)
    }

    private func padded(_ value: Int64, _ width: Int) -> String {
        var digits = String(value.magnitude)
        while digits.utf8.count < width { digits = "0" + digits }
        return value < 0 ? "-" + digits : digits
    }
}

/// Reads fixed-width digits from ASCII text.
struct DigitScanner {
    private var rest: Substring.UTF8View

    init(_ text: some StringProtocol) {
        rest = Substring(text).utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, UInt32(first) == character.value else { return false }
        rest.removeFirst()
        return true
    }

    /// Exactly `count` digits.
    mutating func digits(_ count: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<count {
            guard let digit = nextDigit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// As many digits as there are, up to nine; `nil` for none.
    mutating func number() -> Int64? {
        number(atMost: 9)?.value
    }

    /// One to three digits after a point, as thousandths.
    mutating func fractionInThousandths() -> Int64? {
        number(atMost: 3).map { fraction in (fraction.count..<3).reduce(fraction.value) { value, _ in value * 10 } }
    }

    private mutating func number(atMost most: Int) -> (value: Int64, count: Int)? {
        var (value, count): (Int64, Int) = (0, 0)
        while let digit = nextDigit() {
            count += 1
            guard count <= most else { return nil }
            value = value * 10 + digit
        }
        return count > 0 ? (value, count) : nil
    }

    /// `Z`, `+hh:mm` or `-hh:mm`.
    mutating func utcOffsetInMinutes() -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        guard let sign: Int64 = skip("+") ? 1 : skip("-") ? -1 : nil,
            let hours = digits(2), hours < 24, skip(":"), let minutes = digits(2), minutes < 60
        else { return nil }
        return sign * (hours * 60 + minutes)
    }

    private mutating func nextDigit() -> Int64? {
        guard let byte = rest.first, (0x30...0x39).contains(byte) else { return nil }
        rest.removeFirst()
        return Int64(byte - 0x30)
    }
}
