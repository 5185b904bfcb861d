import OfferModel
import OfferStore

/// The content of payloads, apart from signed dates.
struct Facts: Hashable {
    private var transaction: Transaction?
    private var renewalInfo: RenewalInfo?
    private var appTransaction: AppTransaction?

    init(_ content: HistoryPayload.Content) {
        switch content {
        case .transaction(var transaction):
            transaction.signedDate = .distantPast
            self.transaction = transaction
        case .renewalInfo(var info):
            info.signedDate = .distantPast
            renewalInfo = info
        case .appTransaction(var transaction):
            transaction.receiptCreationDate = .distantPast
            appTransaction = transaction
        }
    }

    /// The content of the current view of a history.
    static func current(_ history: History) -> Set<Facts> {
        var newest: [TransactionId: Recorded<RenewalInfo>] = [:]
        for row in history.renewalInfos {
            let id = row.payload.originalTransactionId
            if let known = newest[id], rank(row) < rank(known) { continue }
            newest[id] = row
        }
        return Set(history.purchases.rows.map { Facts(.transaction($0.payload)) })
            .union(newest.values.map { Facts(.renewalInfo($0.payload)) })
    }

    private static func rank(_ row: Recorded<RenewalInfo>) -> (Int, Instant, String) {
        (row.provenance.isProven ? 1 : 0, row.payload.signedDate, String(decoding: row.payloadBytes, as: UTF8.self))
    }
}

extension History {
    /// One row for each of these payloads, as a store would hold that removes nothing.
    init(every payloads: [HistoryPayload]) {
        self.init()
        for (index, payload) in payloads.enumerated() {
            func row<Payload>(_ value: Payload) -> Recorded<Payload> {
                Recorded(
                    payload: value, payloadBytes: payload.bytes, provenance: payload.provenance, sequence: Int64(index))
            }
            switch payload.content {
            case .transaction(let value): transactions.append(row(value))
            case .renewalInfo(let value): renewalInfos.append(row(value))
            case .appTransaction(let value): appTransactions.append(row(value))
            }
        }
    }
}

extension HistoryPayload {
    var signedDate: Instant {
        switch content {
        case .transaction(let transaction): transaction.signedDate
        case .renewalInfo(let info): info.signedDate
        case .appTransaction(let transaction): transaction.receiptCreationDate
        }
    }
}
