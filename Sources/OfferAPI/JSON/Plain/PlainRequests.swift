import OfferModel

// The members of each request as its `init(from:)` reads them; those that suppose something, and history, are left to it.

extension IssueRequestBody: PlainlyRead {
    init(plain json: inout PlainJSON) throws(NotPlain) {
        var offerId: OfferId?
        var customer: CustomerReference?
        var rest = IssueRequestBody(offerId: "", customer: CustomerReference())
        var isFirst = true
        while let key = try json.member(of: CodingKeys.self, isFirst: &isFirst) {
            switch key {
            case .offerId: try json.read(into: &offerId)
            case .productId: try json.read(into: &rest.productId)
            case .customer: try json.read(into: &customer)
            case .formats: try json.read(into: &rest.formats)
            case .fresh: try json.read(into: &rest.fresh)
            case .signals: try json.read(into: &rest.signals)
            case .signedTransactions: try json.read(into: &rest.signedTransactions)
            case .signedRenewalInfo: try json.read(into: &rest.signedRenewalInfo)
            case .signedAppTransaction: try json.read(into: &rest.signedAppTransaction)
            case .historyComplete: try json.read(into: &rest.historyComplete)
            case .request: try json.read(into: &rest.request)
            }
        }
        guard let offerId, let customer else { throw NotPlain() }
        rest.offerId = offerId
        rest.customer = customer
        self = rest
    }
}

extension DecisionRequestBody: PlainlyRead {
    init(plain json: inout PlainJSON) throws(NotPlain) {
        self.init()
        var isFirst = true
        while let key = try json.member(of: CodingKeys.self, isFirst: &isFirst) {
            switch key {
            case .customer: try json.read(into: &customer)
            case .offerIds: try json.read(into: &offerIds)
            case .productId: try json.read(into: &productId)
            case .signals: try json.read(into: &signals)
            case .request: try json.read(into: &request)
            case .asOf, .history, .catalog, .catalogRevision: throw NotPlain()
            }
        }
    }
}

extension TransactionsRequestBody: PlainlyRead {
    init(plain json: inout PlainJSON) throws(NotPlain) {
        var transactions: [String]?
        var rest = TransactionsRequestBody(signedTransactions: [])
        var isFirst = true
        while let key = try json.member(of: CodingKeys.self, isFirst: &isFirst) {
            switch key {
            case .signedTransactions: try json.read(into: &transactions)
            case .signedRenewalInfo: try json.read(into: &rest.signedRenewalInfo)
            case .signedAppTransaction: try json.read(into: &rest.signedAppTransaction)
            case .historyComplete: try json.read(into: &rest.historyComplete)
            case .customer: try json.read(into: &rest.customer)
            }
        }
        guard let transactions else { throw NotPlain() }
        rest.signedTransactions = transactions
        self = rest
    }
}

extension CustomerReference: PlainlyRead {
    init(plain json: inout PlainJSON) throws(NotPlain) {
        self.init()
        var isFirst = true
        while let key = try json.member(of: CodingKeys.self, isFirst: &isFirst) {
            switch key {
            case .originalTransactionId: try json.read(into: &originalTransactionId)
            case .appTransactionId: try json.read(into: &appTransactionId)
            case .appAccountToken: try json.read(into: &appAccountToken)
            case .customerId: try json.read(into: &customerId)
            }
        }
    }
}

extension CustomerAliases: PlainlyRead {
    init(plain json: inout PlainJSON) throws(NotPlain) {
        self.init()
        var isFirst = true
        while let key = try json.member(of: CodingKeys.self, isFirst: &isFirst) {
            switch key {
            case .appAccountToken: try json.read(into: &appAccountToken)
            case .customerId: try json.read(into: &customerId)
            }
        }
    }
}

extension RequestFactsBody: PlainlyRead {
    init(plain json: inout PlainJSON) throws(NotPlain) {
        self.init()
        var isFirst = true
        while let key = try json.member(of: CodingKeys.self, isFirst: &isFirst) {
            switch key {
            case .appVersion: try json.read(into: &appVersion)
            case .osVersion: try json.read(into: &osVersion)
            case .locale: try json.read(into: &locale)
            }
        }
    }
}
