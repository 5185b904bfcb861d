import Metrics
import Synchronization

/// The metrics of this process, written as Prometheus reads them: its text format 0.0.4.
///
/// A series is made once and lives as long as the process; what counts holds it, so that counting takes no lock of this
/// type.
final class PrometheusMetrics: MetricsFactory {
    /// By name, then by labels as they are written.
    private let series = Mutex<[String: [String: any MetricSeries]]>([:])

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        made(label, dimensions) { CounterSeries() }
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        aggregate ? histogram(label, dimensions) : made(label, dimensions) { GaugeSeries() }
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { histogram(label, dimensions) }

    // A series that is given back may be made again under the same name, and must not begin at 0 then.
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    private func histogram(_ name: String, _ labels: [(String, String)]) -> HistogramSeries {
        made(name, labels) {
            guard case .histogram(let bounds) = MetricDescription.all[name]?.kind else {
                return HistogramSeries(MetricDescription.seconds)
            }
            return HistogramSeries(bounds)
        }
    }

    private func made<Series: MetricSeries>(
        _ name: String, _ labels: [(String, String)], _ make: () -> Series
    ) -> Series {
        let labels = PrometheusText.labels(labels)
        return series.withLock { series in
            if let known = series[name]?[labels] as? Series { return known }
            let new = make()
            series[name, default: [:]][labels] = new
            return new
        }
    }

    /// Everything as text: what was counted, and what was looked up for it.
    func text(with samples: [MetricSample] = []) -> String {
        let series = series.withLock { $0 }
        let looked = Dictionary(grouping: samples, by: \.name)
        var text = PrometheusText()
        for name in Set(MetricDescription.all.keys).union(series.keys).union(looked.keys).sorted() {
            text.begin(name)
            for (labels, series) in (series[name] ?? [:]).sorted(by: { $0.key < $1.key }) {
                series.write(name, labels, to: &text)
            }
            for sample in looked[name] ?? [] { text.add(name, PrometheusText.labels(sample.labels), sample.value) }
        }
        return text.text
    }
}

/// A value that is looked up when `/metrics` is asked for.
struct MetricSample: Sendable {
    var name: String
    var value: Double
    var labels: [(String, String)]

    init(_ name: String, _ value: Double, _ labels: [(String, String)] = []) {
        self.name = name
        self.value = value
        self.labels = labels
    }
}

struct PrometheusText {
    private(set) var text = ""

    mutating func begin(_ name: String) {
        guard let description = MetricDescription.all[name] else { return }
        let help = description.help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(description.kind.word)\n"
    }

    /// - Parameter labels: as ``labels(_:)`` writes them.
    mutating func add(_ name: String, _ labels: String, _ value: Double) {
        text += labels.isEmpty ? "\(name) \(Self.number(value))\n" : "\(name){\(labels)} \(Self.number(value))\n"
    }

    /// `app="com.example.pro",kind="redeemed"`.
    static func labels(_ labels: [(String, String)]) -> String {
        labels.map { name, value in
            let value = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
            return "\(name)=\"\(value)\""
        }.joined(separator: ",")
    }

    static func number(_ value: Double) -> String {
        if let whole = Int64(exactly: value) { return "\(whole)" }
        if value.isNaN { return "NaN" }
        return value.isInfinite ? (value < 0 ? "-Inf" : "+Inf") : "\(value)"
    }
}

/// The value of one name with its labels.
private protocol MetricSeries: AnyObject, Sendable {
    func write(_ name: String, _ labels: String, to text: inout PrometheusText)
}

private final class CounterSeries: MetricSeries, CounterHandler {
    private let value = Atomic<Int64>(0)

    func increment(by amount: Int64) { value.wrappingAdd(max(0, amount), ordering: .relaxed) }

    func reset() { value.store(0, ordering: .relaxed) }

    func write(_ name: String, _ labels: String, to text: inout PrometheusText) {
        text.add(name, labels, Double(value.load(ordering: .relaxed)))
    }
}

private final class GaugeSeries: MetricSeries, RecorderHandler {
    private let value = Atomic<UInt64>(0)

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) { self.value.store(value.bitPattern, ordering: .relaxed) }

    func write(_ name: String, _ labels: String, to text: inout PrometheusText) {
        text.add(name, labels, Double(bitPattern: value.load(ordering: .relaxed)))
    }
}

private final class HistogramSeries: MetricSeries, TimerHandler, RecorderHandler {
    private struct State {
        /// Of each bucket alone; the last has no bound.
        var counts: [UInt64]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    init(_ bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: [UInt64](repeating: 0, count: bounds.count + 1)))
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        guard value.isFinite else { return }
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[bucket] &+= 1
            state.sum += value
        }
    }

    func write(_ name: String, _ labels: String, to text: inout PrometheusText) {
        let state = state.withLock { $0 }
        let first = labels.isEmpty ? "" : labels + ","
        var sum: UInt64 = 0
        for (bound, count) in zip(bounds + [.infinity], state.counts) {
            sum &+= count
            text.add(name + "_bucket", "\(first)le=\"\(PrometheusText.number(bound))\"", Double(sum))
        }
        text.add(name + "_sum", labels, state.sum)
        text.add(name + "_count", labels, Double(sum))
    }
}
