import OfferApplication
import OfferStore
import Testing

@Suite("Requests that fail by the store")
struct StoreFailuresTests {
    private let start = ContinuousClock.now

    private func requests(
        _ failures: StoreFailures, _ error: any Error = StoreError.full("the disk is full"), after seconds: Double
    ) -> Int? {
        failures.report(error, now: start + .seconds(seconds))?.requests
    }

    @Test("are reported once a minute, with how many there were since")
    func onceAMinute() {
        let failures = StoreFailures()
        #expect(requests(failures, after: 0) == 1)
        for _ in 0..<500 { #expect(requests(failures, after: 59.9) == nil) }
        #expect(requests(failures, after: 60) == 501)
        #expect(requests(failures, after: 60) == nil)
        #expect(requests(failures, after: 3_600) == 2)
    }

    @Test("are reported by their cause, with its words and what to do")
    func causes() throws {
        let failures = StoreFailures()
        let first = try #require(failures.report(StoreError.full("the disk is full"), now: start))
        #expect(first.detail == "the disk is full")
        #expect(first.hint == "free space on the disk that holds the database")
        #expect(requests(failures, StoreError.readOnly("the database cannot be written"), after: 1) == 1)
        #expect(requests(failures, after: 1) == nil)
    }

    @Test("are not those that fail by a row or for another reason")
    func others() {
        let failures = StoreFailures()
        #expect(requests(failures, StoreError.corrupt("a row"), after: 0) == nil)
        #expect(requests(failures, CancellationError(), after: 0) == nil)
    }

    @Test("take no more memory, however many causes there are")
    func manyCauses() {
        let failures = StoreFailures()
        for number in 0..<1_000 { #expect(requests(failures, StoreError.unavailable("\(number)"), after: 0) == 1) }
        #expect(requests(failures, StoreError.unavailable("999"), after: 0) == nil)
        #expect(requests(failures, StoreError.unavailable("0"), after: 0) == 1, "it was forgotten")
    }
}
