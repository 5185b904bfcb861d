import Foundation
import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import Rounds
import SQLiteStore
import Synchronization

/// Reading what a decision about one customer needs, as `POST /v1/decisions` reads it, one customer after the other.
struct FactsReading {
    private static let count = 5_000
    private let folder: URL

    init(folder: URL) {
        self.folder = folder
    }

    func measure() async throws {
        let watch = ReadWatch(try Bench.database(in: folder))
        let useCases = try Bench.useCases(in: folder, watch)
        let caller = try Bench.caller()
        for number in 0..<Self.count {
            // Neighbours in time are strangers in the file.
            let inquiry = Inquiry {
                ($0.customer, $0.offerIds) = (Bench.customer(number * 7_919 % 10_000), ["comeback"])
            }
            let answer = try await useCases.decisions.decide(inquiry, caller: caller)
            precondition(answer.decisions.count == 1)
        }
        print("read a customer's facts\t\(watch.rounds.withLock { $0 }.text())")
    }
}

/// A database that notes how long each read took, with its way to the data and back.
final class ReadWatch: StoreDatabase {
    let rounds = Mutex(Rounds())
    private let database: SQLiteDatabase

    init(_ database: SQLiteDatabase) {
        self.database = database
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
        try await watched { try await database.read(body) }
    }

    func readInline<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
        try await watched { try await database.readInline(body) }
    }

    private func watched<T>(_ reading: () async throws -> T) async rethrows -> T {
        let began = ContinuousClock.now
        let value = try await reading()
        let time = ContinuousClock.now - began
        rounds.withLock { $0.add(time) }
        return value
    }

    func write<T: Sendable>(
        expecting expectation: WriteExpectation.Maker?, _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await database.write(expecting: expectation, body)
    }
}
