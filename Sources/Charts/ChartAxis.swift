/// An axis from zero or the lowest value to zero or the highest, in steps of 1, 2 or 5 times a power of ten.
struct ChartAxis {
    let ticks: [(value: Double, text: String)]
    let low: Double
    let high: Double

    /// - Parameter steps: about how many; there may be two more.
    /// - Parameter room: the width of a label: if a number is wider, all are in thousands, millions and so on.
    init(_ numbers: [ChartNumber], steps: Double, room: Double) {
        let values = numbers.map(\.value)
        let least = min(0, values.min() ?? 0)
        let most = max(least == 0 && values.allSatisfy { $0 == 0 } ? 1 : 0, values.max() ?? 0)
        let wanted = (most - least) / steps
        var exponent = -3
        while ChartNumber.power(exponent + 1) <= wanted { exponent += 1 }
        var factor = [1, 2, 5, 10].first { Double($0) * ChartNumber.power(exponent) >= wanted } ?? 10
        if exponent < 0, numbers.allSatisfy(\.isWhole) { (factor, exponent) = (1, 0) }
        if factor == 10 { (factor, exponent) = (1, exponent + 1) }
        let step = Double(factor) * ChartNumber.power(exponent)
        let (first, last) = ((least / step).rounded(.down), (most / step).rounded(.up))
        (low, high) = (first * step, last * step)
        let mantissas = (Int(exactly: first) ?? 0)...(Int(exactly: last) ?? 0)
        let plain = mantissas.map { ChartNumber.text($0 * factor, tenTo: exponent) }
        let magnitude = max(-low, high)
        let texts =
            plain.allSatisfy { SVGText.width($0) <= room }
            ? plain : mantissas.map { ChartNumber.text($0 * factor, tenTo: exponent, inUnitsOf: magnitude) }
        ticks = zip(mantissas, texts).map { (Double($0) * step, $1) }
    }

    /// Where a value lies between the two ends of the axis.
    func place(_ value: Double, from start: Double, to end: Double) -> Double {
        start + (value - low) / (high - low) * (end - start)
    }
}
