import Foundation
import Metrics
import OfferTestSupport
import Testing

@testable import OfferdCommands

@Suite("Metrics as text")
struct PrometheusMetricsTests {
    @Test("a family is its help, its type and its samples, sorted, with labels escaped")
    func form() {
        let metrics = PrometheusMetrics()
        Counter(
            label: "offerd_problems_total", dimensions: [("code", "a\"b\\c\nd")], factory: metrics
        ).increment(by: 2)
        Counter(label: "offerd_problems_total", dimensions: [("code", "a")], factory: metrics).increment()
        Gauge(label: "offerd_ready", factory: metrics).record(0.5)
        let text = metrics.text(with: [MetricSample("offerd_build_info", 1, [("version", "1")])])
        let lines = text.split(separator: "\n")
        #expect(
            text.contains(
                """
                # HELP offerd_problems_total Answers that are problem documents, by their code.
                # TYPE offerd_problems_total counter
                offerd_problems_total{code="a"} 1
                offerd_problems_total{code="a\\"b\\\\c\\nd"} 2

                """))
        #expect(lines.contains("offerd_ready 0.5"))
        #expect(lines.contains("offerd_build_info{version=\"1\"} 1"))
        #expect(text.hasSuffix("\n"))
        #expect(lines.count { $0.hasPrefix("# TYPE") } == MetricDescription.all.count)
    }

    @Test("a series is one however often it is asked for, and goes on after it was given back")
    func once() {
        let metrics = PrometheusMetrics()
        for _ in 0..<3 {
            let counter = Counter(label: "a_total", dimensions: [("x", "1")], factory: metrics)
            counter.increment(by: 2)
            counter.destroy()
        }
        #expect(metrics.text().contains("a_total{x=\"1\"} 6\n"))
    }

    @Test("numbers are written as Prometheus reads them")
    func numbers() {
        let numbers = [0, -3, 1e15, 0.1, 1e-7, .infinity, -.infinity, .nan].map(PrometheusText.number)
        #expect(numbers == ["0", "-3", "1000000000000000", "0.1", "1e-07", "+Inf", "-Inf", "NaN"])
    }

    @Test("a value is in every bucket from its own on; what is no number is left out")
    func histogram() {
        let metrics = PrometheusMetrics()
        let writes = Recorder(label: "offerd_commit_writes", aggregate: true, factory: metrics)
        for value in [1, 2, 3, 256, 257] { writes.record(value) }
        writes.record(Double.nan)
        let lines = metrics.text().split(separator: "\n").filter { $0.hasPrefix("offerd_commit_writes") }
        #expect(
            lines == [
                "offerd_commit_writes_bucket{le=\"1\"} 1", "offerd_commit_writes_bucket{le=\"2\"} 2",
                "offerd_commit_writes_bucket{le=\"4\"} 3", "offerd_commit_writes_bucket{le=\"8\"} 3",
                "offerd_commit_writes_bucket{le=\"16\"} 3", "offerd_commit_writes_bucket{le=\"32\"} 3",
                "offerd_commit_writes_bucket{le=\"64\"} 3", "offerd_commit_writes_bucket{le=\"128\"} 3",
                "offerd_commit_writes_bucket{le=\"256\"} 4", "offerd_commit_writes_bucket{le=\"+Inf\"} 5",
                "offerd_commit_writes_sum 519", "offerd_commit_writes_count 5",
            ])
    }

    @Test("a timer counts in seconds, whatever it is given")
    func timer() throws {
        let metrics = PrometheusMetrics()
        let timer = Metrics.Timer(
            label: "offerd_http_request_duration_seconds", dimensions: [("method", "GET")], factory: metrics)
        timer.recordMilliseconds(2)
        timer.recordNanoseconds(Int64.min)
        timer.recordNanoseconds(Int64.max)
        let scrape = Scrape(metrics.text())
        let name = "offerd_http_request_duration_seconds"
        #expect(scrape["\(name)_bucket{method=\"GET\",le=\"0.001\"}"] == 1)
        #expect(scrape["\(name)_bucket{method=\"GET\",le=\"0.0025\"}"] == 2)
        #expect(scrape["\(name)_count{method=\"GET\"}"] == 3)
        #expect(scrape.faults == [])
    }

    @Test("many threads that count at once lose nothing")
    func together() async {
        let metrics = PrometheusMetrics()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<2_000 {
                        Counter(label: "a_total", dimensions: [("x", "\(number % 3)")], factory: metrics).increment()
                        Recorder(label: "offerd_commit_writes", aggregate: true, factory: metrics).record(task)
                    }
                }
            }
        }
        let scrape = Scrape(metrics.text())
        #expect((0..<3).map { scrape["a_total{x=\"\($0)\"}"] ?? 0 }.reduce(0, +) == 16_000)
        #expect(scrape["offerd_commit_writes_count"] == 16_000)
        #expect(scrape["offerd_commit_writes_sum"] == 56_000)
    }

    @Test(
        "what Linux says of this process is there",
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/stat")))
    func process() throws {
        let samples = ProcessSamples.all()
        let values = Dictionary(samples.map { ($0.name, $0.value) }) { $1 }
        let start = try #require(values["process_start_time_seconds"])
        #expect((start...(start + 86_400 * 7)).contains(Date().timeIntervalSince1970))
        #expect(try #require(values["process_resident_memory_bytes"]) > 1_000_000)
        #expect(try #require(values["process_virtual_memory_bytes"]) > 1_000_000)
        #expect(try #require(values["process_cpu_seconds_total"]) >= 0)
        #expect(try #require(values["process_open_fds"]) >= 3)
        #expect(try #require(values["process_max_fds"]) >= 64)
    }
}
