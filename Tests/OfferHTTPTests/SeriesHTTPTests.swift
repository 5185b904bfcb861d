import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("A series over HTTP")
struct SeriesHTTPTests {
    @Test("marketing and support get an offer's days; others do not")
    func report() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let client = try await service.token(.client)
            let start = service.clock.now
            let issued = try await service.ask(
                "POST", "/v1/issued-offers", token: client,
                body: service.issueBody("comeback", try service.lapsedCustomer("100")))
            #expect(issued.status == 201, "\(issued.text)")
            let target = "/v1/reports/series?offer=comeback&by=week&timeZone=Asia/Kolkata&from=\(start.milliseconds)"
            // The week in which it is, by days since a Monday, 1970-01-05, in a zone 5½ hours ahead.
            let monday: Int64 = 4 * Instant.Duration.day
            let week = 7 * Instant.Duration.day
            let local = start.milliseconds + 19_800_000 - monday
            let from = local - local % week + monday - 19_800_000
            let date = Instant(milliseconds: from + 19_800_000).description.prefix(10)
            let expected = """
                {"asOf":\(start.milliseconds),"buckets":[{"date":"\(date)","eligible":1,"from":\(from),"granted":0,"issued":1,\
                "redeemed":0,"redeemedWithoutCost":0,"refused":[],"removed":0,"requests":1,"revenue":[],"spend":[]}],\
                "by":"week","from":\(start.milliseconds),"offer":"comeback","timeZone":"Asia/Kolkata",\
                "to":\(start.milliseconds + 1)}
                """
            for role in [Role.marketing, .support, .admin] {
                let answer = try await service.ask("GET", target, token: try await service.token(role))
                #expect(answer.status == 200 && answer.text == expected, "\(role): \(answer.text)")
            }
            for role in [Role.client, .app] {
                let answer = try await service.ask("GET", target, token: try await service.token(role))
                #expect(answer.status == 403 && answer.code == "forbidden", "\(role)")
            }
            #expect(try await service.ask("GET", target).status == 401)
        }
    }

    @Test("`products=true` adds how trials and periods of the offer's products ended, `false` does not")
    func products() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let issued = try await service.ask(
                "POST", "/v1/issued-offers", token: try await service.token(.client),
                body: service.issueBody("comeback", try service.lapsedCustomer("100")))
            #expect(issued.status == 201, "\(issued.text)")
            let from = service.clock.now.adding(months: -5).milliseconds
            let target = "/v1/reports/series?offer=comeback&by=month&from=\(from)&products="
            for role in [Role.marketing, .support] {
                let token = try await service.token(role)
                let answer = try await service.ask("GET", target + "true", token: token)
                // A trial, two renewals, and a cancellation before the end of the last one.
                #expect(
                    answer.text.contains(#""trials":[{"converted":1,"ended":1,"productId":"monthly","undecided":0}]"#)
                        && answer.text.contains(#""churn":[{"due":1,"lost":1,"productId":"monthly","undecided":0}]"#),
                    "\(role): \(answer.text)")
                let plain = try await service.ask("GET", target + "false", token: token)
                #expect(plain.status == 200 && !plain.text.contains("trials") && !plain.text.contains("churn"))
            }
        }
    }

    @Test("what cannot be asked is refused by its parameter, with what to do instead")
    func refusals() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let marketing = try await service.token(.marketing)
            let now = service.clock.now.milliseconds
            for (query, path) in [
                ("by=day", "query.offer"), ("offer=", "query.offer"), ("offer=comeback&offer=trial", "query.offer"),
                ("offer=comeback&by=", "query.by"), ("offer=comeback&by=year", "query.by"),
                ("offer=comeback&by=Day", "query.by"), ("offer=comeback&timeZone=", "query.timeZone"),
                ("offer=comeback&timeZone=Mars/Olympus", "query.timeZone"),
                ("offer=comeback&timeZone=Asia/Kolkata%00", "query.timeZone"),
                ("offer=comeback&timeZone=\(String(repeating: "x", count: 300))", "query.timeZone"),
                ("offer=comeback&timeZone=%F0%9F%95%92", "query.timeZone"),
                ("offer=comeback&products=", "query.products"), ("offer=comeback&products=1", "query.products"),
                ("offer=comeback&products=TRUE", "query.products"),
                ("offer=comeback&products=monthly", "query.products"),
                ("offer=comeback&products=true&products=true", "query.products"),
                ("offer=comeback&from=yesterday", "query.from"), ("offer=comeback&from=\(now + 1)", "query.from"),
                ("offer=comeback&from=0", "query.from"), ("offer=comeback&from=-1", "query.from"),
                ("offer=comeback&from=\(now)&to=\(now)", "query.to"),
                // Thirty days before the end, or the first bucket, would begin before 1970.
                ("offer=comeback&to=0", "query.to"), ("offer=comeback&to=2591999999", "query.to"),
                ("offer=comeback&to=2592000001&by=week", "query.to"),
                ("offer=comeback&from=9223372036854775807", "query.from"), ("offerId=comeback", "query.offerId"),
            ] {
                let answer = try await service.ask("GET", "/v1/reports/series?\(query)", token: marketing)
                #expect(answer.status == 400 && answer.code == "invalid-request", "\(query): \(answer.text)")
                #expect(answer.errors.first?["path"] as? String == path, "\(query): \(answer.text)")
            }
            let earliest = try await service.ask(
                "GET", "/v1/reports/series?offer=comeback&to=2592000000", token: marketing)
            #expect(earliest.status == 200 && earliest.text.contains(#""from":0,"#), "\(earliest.text)")
            for (more, date) in [
                ("day", "1970-01-01"), ("week", "1969-12-29"), ("month", "1970-01-01"),
                ("day&timeZone=Asia/Kolkata", "1970-01-01"), ("week&timeZone=Asia/Kolkata", "1969-12-29"),
                ("month&timeZone=Asia/Kolkata", "1970-01-01"),
            ] {
                let answer = try await service.ask(
                    "GET", "/v1/reports/series?offer=comeback&from=1970-01-01T00:00:00Z&to=1&by=\(more)",
                    token: marketing)
                let buckets = answer.json["buckets"] as? [[String: Any]]
                #expect(answer.status == 200 && answer.json["from"] as? Int == 0, "\(more): \(answer.text)")
                #expect(buckets?.map { $0["date"] as? String } == [date], "\(more): \(answer.text)")
            }
            for offer in ["nope", "Comeback", "%F0%9F%8E%81"] {
                let answer = try await service.ask("GET", "/v1/reports/series?offer=\(offer)", token: marketing)
                #expect(answer.status == 404 && answer.code == "unknown-offer", "\(offer): \(answer.text)")
            }
        }
    }
}
