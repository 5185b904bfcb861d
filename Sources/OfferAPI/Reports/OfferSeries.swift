package import OfferModel

/// `GET /v1/reports/series`: what happened to one offer, by the date of each event (docs/reports.md).
package struct OfferSeries: WireObject {
    /// The instant of the report: what happened later is not in it.
    package var asOf: Instant = .blank
    package var offer: OfferId = ""
    package var by: CalendarUnit = .day
    /// The time zone whose days they are.
    package var timeZone = ""
    /// Only events from then on count.
    package var from: Instant = .blank
    /// Only events before count.
    package var to: Instant = .blank
    /// Every bucket of the range in order, also those without an event.
    package var buckets: [Bucket] = []

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("asOf", &asOf)
        members.required("buckets", &buckets)
        members.required("by", &by)
        members.required("from", &from)
        members.required("offer", &offer)
        members.required("timeZone", &timeZone)
        members.required("to", &to)
    }

    /// What happened in one day, week or month.
    package struct Bucket: WireObject {
        /// Its first moment.
        package var from: Instant = .blank
        /// Its first day in the time zone, such as `2026-11-01`.
        package var date = ""
        /// Recorded decisions of issue requests.
        package var requests = 0
        /// Of these, those that met every rule but the rollout.
        package var eligible = 0
        package var issued = 0
        /// Issued by a grant of support; these are in no other number.
        package var granted = 0
        package var redeemed = 0
        /// Of these, those whose discount the catalog does not say.
        package var redeemedWithoutCost = 0
        /// Refusals by deciding rule, the most frequent first; one with several rules is in several.
        package var refused: [RefusedBy] = []
        /// Refusals of which retention or an erasure removed the rules.
        package var removed = 0
        /// The nominal discount of the redeemed, by currency.
        package var spend: [Price] = []
        /// What was paid at full price after the offer, by currency.
        package var revenue: [Price] = []
        /// Trials of the offer's products that ended, by product; only if asked for.
        package var trials: [EndedTrials]?
        /// Other periods of the offer's products that ended, by product; only if asked for.
        package var churn: [DuePeriods]?

        package init() {}

        package mutating func visit(_ members: inout some MemberVisitor) {
            members.optional("churn", &churn)
            members.required("date", &date)
            members.required("eligible", &eligible)
            members.required("from", &from)
            members.required("granted", &granted)
            members.required("issued", &issued)
            members.required("redeemed", &redeemed)
            members.required("redeemedWithoutCost", &redeemedWithoutCost)
            members.required("refused", &refused)
            members.required("removed", &removed)
            members.required("requests", &requests)
            members.required("revenue", &revenue)
            members.required("spend", &spend)
            members.optional("trials", &trials)
        }
    }

    package struct RefusedBy: WireObject {
        package var rule = ""
        package var count = 0

        package init() {}

        package mutating func visit(_ members: inout some MemberVisitor) {
            members.required("count", &count)
            members.required("rule", &rule)
        }
    }
}

extension OfferSeries {
    package struct EndedTrials: WireObject {
        package var productId: ProductId = ""
        package var ended = 0
        /// Of these, those that a paid period followed.
        package var converted = 0
        /// Of these, those of which that is not known yet.
        package var undecided = 0

        package init() {}

        package mutating func visit(_ members: inout some MemberVisitor) {
            members.required("converted", &converted)
            members.required("ended", &ended)
            members.required("productId", &productId)
            members.required("undecided", &undecided)
        }
    }

    package struct DuePeriods: WireObject {
        package var productId: ProductId = ""
        package var due = 0
        /// Of these, those that no renewal followed.
        package var lost = 0
        /// Of these, those of which that is not known yet.
        package var undecided = 0

        package init() {}

        package mutating func visit(_ members: inout some MemberVisitor) {
            members.required("due", &due)
            members.required("lost", &lost)
            members.required("productId", &productId)
            members.required("undecided", &undecided)
        }
    }
}

extension CalendarUnit: WireWord {}
