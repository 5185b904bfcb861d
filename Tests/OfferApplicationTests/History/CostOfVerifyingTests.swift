import Dispatch
import LocalAppStore
import OfferAPI
import OfferApplication
import OfferModel
import OfferSigning
import OfferTestSupport
import OpenSSLCrypto
import Synchronization
import Testing

@Suite("Cost of verifying a request")
struct CostOfVerifyingTests {
    /// Counts what a judge is asked.
    private final class CountingVerifier: SignedDataVerifier {
        let judge: AppStoreChainVerifier
        let examined = Atomic(0)
        let verified = Atomic(0)

        init(_ judge: AppStoreChainVerifier) { self.judge = judge }

        func examine(
            _ jws: CompactJWS, effectiveDate date: Instant, environment: AppStoreEnvironment
        ) throws(SignedDataRefusal) {
            examined.add(1, ordering: .relaxed)
            try judge.examine(jws, effectiveDate: date, environment: environment)
        }

        func verify(
            _ jws: CompactJWS, effectiveDate date: Instant, environment: AppStoreEnvironment
        ) throws(SignedDataRefusal) -> TrustAnchor {
            verified.add(1, ordering: .relaxed)
            return try judge.verify(jws, effectiveDate: date, environment: environment)
        }
    }

    /// Runs tasks on one thread, in the order in which they become ready.
    private final class OneThread: TaskExecutor {
        private static let mark = DispatchSpecificKey<Bool>()
        private let queue = DispatchQueue(label: "one thread")

        /// Whether the caller runs on a thread of this kind.
        static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true }

        init() { queue.setSpecific(key: Self.mark, value: true) }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// At each call, starts a task on the thread that makes the call, and notes the calls before which that of the last
    /// one has not run.
    private final class WaitingVerifier: SignedDataVerifier {
        let judge: AppStoreChainVerifier
        let thread: OneThread
        let calls = Mutex<(count: Int, starving: [Int], elsewhere: Int)>((0, [], 0))
        private let isWaiting = Atomic(false)

        init(_ judge: AppStoreChainVerifier, on thread: OneThread) { (self.judge, self.thread) = (judge, thread) }

        private func note() {
            let isStarving = isWaiting.exchange(true, ordering: .relaxed)
            calls.withLock { calls in
                if isStarving { calls.starving.append(calls.count) }
                calls.count += 1
                if !OneThread.isCurrent { calls.elsewhere += 1 }
            }
            if !isStarving {
                Task(executorPreference: thread) { self.isWaiting.store(false, ordering: .relaxed) }
            }
        }

        func examine(
            _ jws: CompactJWS, effectiveDate date: Instant, environment: AppStoreEnvironment
        ) throws(SignedDataRefusal) {
            note()
            try judge.examine(jws, effectiveDate: date, environment: environment)
        }

        func verify(
            _ jws: CompactJWS, effectiveDate date: Instant, environment: AppStoreEnvironment
        ) throws(SignedDataRefusal) -> TrustAnchor {
            note()
            return try judge.verify(jws, effectiveDate: date, environment: environment)
        }
    }

    private func useCases(of bench: Workbench, _ verifier: any SignedDataVerifier) -> UseCases {
        let registry = AppRegistry([
            RegisteredApp(
                bundleId: Workbench.scope.bundleId, appAppleId: 1_234_567_890,
                issuerId: "57246542-96fe-1a63-e053-0824d011072a", signingKeys: [.localTesting: bench.key],
                verifier: verifier)
        ])
        return UseCases(
            registry: registry, database: bench.database, digest: OpenSSLDigest(), random: OpenSSLRandom(),
            clock: { [clock = bench.clock] in clock.now })
    }

    private func damaged(_ jws: String) -> String { String(jws.dropLast(4)) + "AAAA" }

    @Test("an order is refused at its first forged JWS, and none of the 199 after it is verified")
    func firstRefusal() async throws {
        let bench = try await Workbench()
        let verifier = CountingVerifier(
            try AppStoreChainVerifier(additionalRoots: [.localTesting: [bench.shop.root.rootDER]]))
        let useCases = useCases(of: bench, verifier)
        let good = try #require(try bench.shop.delivery(.lapsed, "100").signedTransactions.first)
        let delivery = SignedDelivery(
            signedTransactions: [good, damaged(good)] + Array(repeating: good, count: 198))
        let order = IssueRequest(offerId: "comeback", customer: named("100"), delivery: delivery)
        let error = await #expect(throws: RequestError.self) {
            try await useCases.issuing.issue(order, caller: Workbench.client)
        }
        guard case .signedDataRefused(let refused) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refused.map(\.pointer) == ["/signedTransactions/1"])
        #expect(verifier.examined.load(ordering: .relaxed) == 200)
        #expect(verifier.verified.load(ordering: .relaxed) == 2)
        // A delivery tells of each, so each is verified.
        let report = try await useCases.ingestion.ingest(
            delivery, aliases: CustomerIdentifiers(), caller: Workbench.client)
        #expect(report.results.map(\.outcome).filter { $0 == .refused }.count == 1)
        #expect(verifier.verified.load(ordering: .relaxed) == 202)
    }

    @Test("checks that cost nothing come before anything is verified")
    func cheapFirst() async throws {
        let bench = try await Workbench()
        let verifier = CountingVerifier(
            try AppStoreChainVerifier(additionalRoots: [.localTesting: [bench.shop.root.rootDER]]))
        let good = try #require(try bench.shop.delivery(.lapsed, "100").signedTransactions.first)
        let stranger = try #require(
            try Shop(clock: bench.clock).delivery(.lapsed, "100").signedTransactions.first)
        let order = IssueRequest(
            offerId: "comeback", customer: named("100"),
            delivery: SignedDelivery(signedTransactions: [stranger, good, stranger, damaged(good)]))
        let error = await #expect(throws: RequestError.self) {
            try await useCases(of: bench, verifier).issuing.issue(order, caller: Workbench.client)
        }
        guard case .signedDataRefused(let refused) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refused.map(\.pointer) == ["/signedTransactions/0", "/signedTransactions/2"])
        #expect(refused.map(\.refusal.code) == [.untrustedRoot, .untrustedRoot])
        #expect(verifier.verified.load(ordering: .relaxed) == 0)
    }

    @Test("attack: a body of 200 JWS does not keep its thread from other tasks: they run between any two of them")
    func turns() async throws {
        let bench = try await Workbench()
        let thread = OneThread()
        let verifier = WaitingVerifier(
            try AppStoreChainVerifier(additionalRoots: [.localTesting: [bench.shop.root.rootDER]]), on: thread)
        let good = try bench.shop.delivery(.lapsed, "100")
        let (transaction, info) = try (
            #require(good.signedTransactions.first), #require(good.signedRenewalInfo.first)
        )
        let delivery = SignedDelivery(
            signedTransactions: Array(repeating: transaction, count: 100),
            signedRenewalInfo: Array(repeating: info, count: 99), signedAppTransaction: good.signedAppTransaction)
        let useCases = useCases(of: bench, verifier)
        try await withTaskExecutorPreference(thread) {
            _ = try await useCases.ingestion.ingest(delivery, aliases: CustomerIdentifiers(), caller: Workbench.client)
        }
        let (count, starving, elsewhere) = verifier.calls.withLock { $0 }
        #expect(count == 2 * delivery.count && elsewhere == 0)
        #expect(starving == [])
    }

    @Test("200 different chains in one body: what is under the first 16 is kept, and the rest refused by name")
    func manyChains() async throws {
        let bench = try await Workbench()
        let (begins, ends) = (Workbench.start.adding(months: -12), Workbench.start.adding(months: 12))
        let root = try CertifiedKey.selfSigned(
            CertificateProfile(
                commonName: "root", notBefore: begins, notAfter: ends, isAuthority: true, curve: .p384))
        let intermediate = try root.issue(
            CertificateProfile(
                commonName: "intermediate", notBefore: begins, notAfter: ends, isAuthority: true, pathLength: 0,
                markers: [AppleMarker.intermediate], curve: .p384))
        let good = try #require(try bench.shop.delivery(.lapsed, "100").signedTransactions.first)
        let payload = try CompactJWS(parsing: good).payload
        let signed = try (0..<200).map { _ in
            let leaf = try intermediate.issue(
                CertificateProfile(
                    commonName: "leaf", notBefore: begins, notAfter: ends, markers: [AppleMarker.leaf], curve: .p256))
            let x5c = [leaf, intermediate, root].map { "\"\(Base64.encode($0.certificateDER))\"" }
            let header = #"{"alg":"ES256","x5c":[\#(x5c.joined(separator: ","))]}"#
            let input = "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(payload))"
            return "\(input).\(Base64URL.encode(try leaf.rawSignature(of: Array(input.utf8))))"
        }
        let verifier = try AppStoreChainVerifier(additionalRoots: [.localTesting: [root.certificateDER]])
        for outcome in [IngestOutcome.added, .unchanged] {
            let report = try await useCases(of: bench, verifier).ingestion.ingest(
                SignedDelivery(signedTransactions: signed), aliases: CustomerIdentifiers(), caller: Workbench.client)
            #expect(
                report.results.map(\.outcome) == [outcome] + Array(repeating: .unchanged, count: 15)
                    + Array(repeating: .refused, count: 184))
            #expect(Set(report.results.compactMap(\.code)) == ["tooManyChains"])
        }
    }
}
