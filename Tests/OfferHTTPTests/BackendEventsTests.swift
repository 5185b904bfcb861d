import Foundation
import OfferModel
import Testing

@Suite("A backend that follows the feed of events with its own key")
struct BackendEventsTests {
    @Test("it reads what support reads, page after page, and one event by its id")
    func follows() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let (client, support) = (try await service.token(.client), try await service.token(.support))
            for id in ["100", "200", "300"] {
                let issued = try await service.ask(
                    "POST", "/v1/issued-offers", token: client,
                    body: service.issueBody("comeback", try service.lapsedCustomer(id), customer: id))
                #expect(issued.status == 201, "\(issued.text)")
            }
            var (ids, cursor): ([String], String) = ([], "")
            repeat {
                let page = try await service.ask("GET", "/v1/events?limit=2\(cursor)", token: client)
                #expect(page.status == 200, "\(page.text)")
                #expect(page.body == (try await service.ask("GET", "/v1/events?limit=2\(cursor)", token: support)).body)
                let items = page.json["items"] as? [[String: Any]] ?? []
                ids += items.compactMap { $0["id"] as? String }
                cursor = (page.json["next"] as? String).map { "&cursor=\($0)" } ?? ""
            } while !cursor.isEmpty
            #expect(Set(ids).count == ids.count && ids == ids.sorted())
            let issued = try await service.ask("GET", "/v1/events?type=offer.issued", token: client)
            let events = try #require(issued.json["items"] as? [[String: Any]])
            #expect(events.count == 3)
            let id = try #require(events.first?["id"] as? String)
            #expect(ids.contains(id))
            #expect(try await service.ask("GET", "/v1/events/\(id)", token: client).json["id"] as? String == id)
        }
    }

    @Test("it sees no other app or environment, sends nothing again, and an app may not read at all")
    func bounds() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            _ = try await service.refusal()
            let id = try await service.eventId(.offerRefused)
            for scope in [ServiceFixture.otherApp, ServiceFixture.otherEnvironment] {
                let foreign = try await service.token(.client, scope: scope)
                let list = try await service.ask("GET", "/v1/events", token: foreign)
                #expect((list.json["items"] as? [Any])?.isEmpty == true, "\(list.text)")
                #expect(try await service.ask("GET", "/v1/events/\(id)", token: foreign).code == "unknown-event")
            }
            let client = try await service.token(.client)
            let resent = try await service.ask("POST", "/v1/events/\(id)/resend", token: client)
            #expect(resent.status == 403 && resent.code == "forbidden", "\(resent.text)")
            for (role, paths) in [
                (Role.app, ["/v1/events", "/v1/events/\(id)"]), (.marketing, ["/v1/events/\(id)"]),
            ] {
                let token = try await service.token(role)
                for path in paths {
                    let answer = try await service.ask("GET", path, token: token)
                    #expect(answer.status == 403 && answer.code == "forbidden", "\(role) \(path)")
                }
            }
        }
    }
}
