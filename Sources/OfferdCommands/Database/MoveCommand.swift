import ArgumentParser
import CommandLineSupport
import Foundation
import OfferModel
import OfferStore
import OpenSSLCrypto
import PostgresStore
import SQLiteStore

struct Move: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Move the database from a file to a PostgreSQL server, or back.",
        discussion: """
            Stop every server first: while the move runs, nothing can be written to the old database, and afterwards no \
            server opens it again. It is kept. An interrupted move goes on where it stopped if you give the same command \
            again.

            At the end every row of both databases is compared, and the facts rows are checked. With --config, the \
            ledger is proven with the audit's keys too, as verify-ledger does.

            The new database must not exist: a file that is not there yet, or an empty database on a server.

            Example:
              offerd move --from offers.sqlite --to postgres://offerd@db/offerd
            """)

    @Option(help: "The old database: a file, or a URL of a PostgreSQL server.", completion: .file())
    var from: String

    @Option(help: "The new database: a file, or a URL of a PostgreSQL server.", completion: .file())
    var to: String

    @Option(
        help: "The configuration whose keys the ledger is proven with.", completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    func run() async throws {
        let check = try config.map { try LedgerCheck(try ServerSetup.read(config: $0)) }
        let (old, new) = (try DatabaseAddress(from), try DatabaseAddress(to))
        let source = try old.toMove()
        defer { source.close() }
        let target = try new.toFill()
        defer { target.close() }
        let counts = try fill(target, from: source)
        try Console.output("moved \(counts.values.reduce(0, +)) rows; both databases hold the same:")
        for (table, count) in counts.sorted(by: { $0.key < $1.key }) where count > 0 {
            try Console.output("  \(table): \(count)")
        }
        try await prove(FilledDatabase(target), check)
        // Nothing that takes time comes between: until the second, servers could open both.
        try target.finish()
        let retired = try source.retire()
        try Console.output(retired)
        try Console.output("name the new database as `database` in the configuration, then start the servers")
    }

    private func fill(_ target: any MoveTarget, from source: any MoveSource) throws -> [String: Int] {
        let move = DatabaseMove(from: source, to: target)
        let progress = MoveProgress()
        defer { progress.end() }
        do {
            try move.copy { progress.show("copying", $0, $1) }
            return try move.compare { progress.show("comparing", $0, $1) }
        } catch let difference as DatabaseMove.Difference {
            throw CommandFailure(
                .failed, "the databases differ in the row \(difference.place)",
                hints: ["the old database is as it was; remove the new one and give the command again"])
        } catch let refusal as DatabaseMove.Refusal {
            throw CommandFailure(
                .failed, "the row \(refusal.place) has \(refusal.reason)",
                hints: ["the old database is as it was, and can be used again"])
        }
    }

    private func prove(_ database: FilledDatabase, _ check: LedgerCheck?) async throws {
        let facts = try await HistoryFactsCheck(database).run()
        guard facts.unreadable.isEmpty, facts.wrong == 0 else {
            throw CommandFailure(
                .failed, "\(facts.wrong + facts.unreadable.count) facts rows do not match their history",
                hints: [
                    "they are so in the old database: `offerd doctor --rebuild-facts` derives them again there; then "
                        + "remove the new one and give the command again"
                ])
        }
        try Console.output("\(facts.rows) facts rows match their history")
        guard let check else {
            return try Console.output("the ledger was not proven: `--config` names the audit's keys")
        }
        let outcome = try await database.read { try check.outcome($0) }
        if case .broken(let row) = outcome { throw LedgerOutcome.failure(row) }
        for line in outcome.lines() { try Console.output(line) }
    }
}

extension DatabaseAddress {
    fileprivate func toMove() throws -> any MoveSource {
        do {
            return switch self {
            case .file(let path): try FileToMove(path: path)
            case .server(let url): try DatabaseToMove(url: url)
            }
        } catch StoreError.busy(let detail) {
            throw CommandFailure(.failed, detail, hints: ["stop every server and every command that uses it"])
        }
    }

    fileprivate func toFill() throws -> any MoveTarget {
        switch self {
        case .file(let path): try FileToFill(path: path)
        case .server(let url): try DatabaseToFill(url: url)
        }
    }
}

/// How far a move has come, on one line of a terminal.
private final class MoveProgress {
    private let isShown = isatty(STDERR_FILENO) != 0
    private var width = 0

    func show(_ doing: String, _ tables: Int, _ rows: Int) {
        guard isShown else { return }
        let line = "\(doing): \(tables) of \(DatabaseMove.tableCount) tables, \(rows) rows of the next"
        Console.draw("\r" + line + String(repeating: " ", count: max(0, width - line.count)))
        width = line.count
    }

    func end() {
        if width > 0 { Console.draw("\r\(String(repeating: " ", count: width))\r") }
    }
}
