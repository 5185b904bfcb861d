import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OfferModel
import OfferTestSupport
import Testing

@Suite("A full disk", .enabled(if: Enclosure.isPossible, "this machine lets nobody mount a file system of their own"))
struct FullDiskTests {
    private struct Asker {
        let url: String
        let token: String
        let client: HTTPClient

        func ask(_ method: String, _ path: String, body: String? = nil, key: String? = nil) async throws -> (
            status: Int, text: String
        ) {
            var request = HTTPClientRequest(url: url + path)
            request.method = .init(rawValue: method)
            request.headers.add(name: "Authorization", value: "Bearer \(token)")
            if let key { request.headers.add(name: "Idempotency-Key", value: key) }
            if let body {
                request.headers.add(name: "Content-Type", value: "application/json")
                request.body = .bytes(ByteBuffer(string: body))
            }
            let answer = try await client.execute(request, timeout: .seconds(60))
            return (Int(answer.status.code), String(buffer: try await answer.body.collect(upTo: 1 << 20)))
        }
    }

    /// A small disk for the database, at `data`.
    private static func mount(_ enclosure: Enclosure) throws {
        let mounted = try enclosure.run(
            "mkdir data && mount -t tmpfs -o size=8m none data && cp offers.sqlite* data/ && chmod 700 data")
        try #require(mounted.status == 0, "\(mounted.text)")
    }

    /// Starts a server on that disk, whose process is `$server` then.
    private static func serve(_ enclosure: Enclosure) throws -> String {
        let started = try enclosure.run(
            """
            rm -f line; mkfifo line
            (exec '\(Installation.offerd.path)' serve --config offerd.yaml --database data/offers.sqlite \
            >line 2>>serve-full.log) & server=$!
            exec 3<line; IFS= read -r first <&3; echo "$first"
            """)
        let url = started.text.trimmingCharacters(in: .whitespacesAndNewlines).replacing("listening on ", with: "")
        try #require(url.hasPrefix("http://"), "\(started.text)")
        return url
    }

    private static func order(_ id: Int, _ installation: Installation) throws -> String {
        """
        {"offerId":"comeback","customer":{"originalTransactionId":"\(Installation.originalTransactionId(id))"},\
        \(try installation.lapsedCustomer(id))}
        """
    }

    @Test("nothing is released that is not recorded, /readyz is red, and all goes on when there is room (invariant 1)")
    func full() async throws {
        let installation = try await Installation()
        let enclosure = try Enclosure(directory: installation.directory.url)
        // The catalog comes in over the server's own way, before anything is full.
        let first = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        try await TestCatalog.apply(installation, first, client: client)
        #expect(await first.stop() == 0)

        try Self.mount(enclosure)
        let url = try Self.serve(enclosure)
        let asker = Asker(url: url, token: try installation.token(.admin), client: client)
        func order(_ id: Int) throws -> String { try Self.order(id, installation) }
        #expect(try await asker.ask("GET", "/readyz").status == 200)
        #expect(try await asker.ask("POST", "/v1/issued-offers", body: try order(1)).status == 201)

        _ = try enclosure.run("cat /dev/zero > data/filler")
        let red = try await asker.ask("GET", "/readyz")
        #expect(red.status == 503 && red.text.contains("\"not-ready\"") && red.text.contains("full"), "\(red)")
        // What fits into the log as it stands is recorded and released; the first that does not is neither.
        var released = 1
        var refused: (id: Int, body: String, text: String)?
        for id in 2..<200 where refused == nil {
            let body = try order(id)
            let answer = try await asker.ask("POST", "/v1/issued-offers", body: body, key: "order-\(id)")
            if answer.status == 201 { released += 1 } else { refused = (id, body, answer.text) }
        }
        let lost = try #require(refused, "the disk never became full")
        #expect(lost.text.contains("\"not-ready\"") && lost.text.contains("nothing can be recorded"), "\(lost.text)")
        #expect(!lost.text.contains("signatures") && !lost.text.contains("sqlite"))
        for id in 201..<211 {
            let answer = try await asker.ask("POST", "/v1/issued-offers", body: try order(id), key: "order-\(id)")
            if answer.status == 201 { released += 1 }
        }
        #expect(try await asker.ask("GET", "/v1/issued-offers?limit=100").status == 200, "looking goes on")
        #expect(try await asker.ask("GET", "/healthz").status == 200)

        _ = try enclosure.run("rm data/filler")
        #expect(try await asker.ask("GET", "/readyz").status == 200)
        let again = try await asker.ask("POST", "/v1/issued-offers", body: lost.body, key: "order-\(lost.id)")
        #expect(again.status == 201, "\(again.text)")
        try await client.shutdown()

        let stopped = try enclosure.run(
            """
            kill -TERM "$server"; wait "$server"; echo "ended $?"
            sqlite3 data/offers.sqlite "SELECT count(*) FROM issued_offer; SELECT count(*) FROM signature; PRAGMA integrity_check"
            """)
        #expect(
            stopped.text.split(separator: "\n") == [
                "ended 0", "\(released + 1)", "\(released + 1)", "ok",
            ])
        let log = try String(contentsOfFile: installation.directory.path("serve-full.log"), encoding: .utf8)
        #expect(log.contains("the disk is full") || log.contains("disk I/O error"), "the operator is told why")
        let told = log.split(separator: "\n").count { $0.contains("requests fail, because the database") }
        #expect((1...3).contains(told), "each cause once a minute, not once a request: \(log)")
    }

    @Test(
        "the kill switch works: what was paused is paused after a crash too, and the room for it comes back with the disk's"
    )
    func paused() async throws {
        let installation = try await Installation()
        let enclosure = try Enclosure(directory: installation.directory.url)
        let offers = ["comeback"] + (1...30).map { "other\($0)" }
        let first = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        try await TestCatalog.apply(installation, first, TestCatalog.yaml(offers), client: client)
        #expect(await first.stop() == 0)
        try Self.mount(enclosure)
        // A copy of the installation's own would not be of this disk.
        _ = try enclosure.run("rm -f data/offers.sqlite-reserve")
        var asker = Asker(url: try Self.serve(enclosure), token: try installation.token(.admin), client: client)
        func kept() throws -> Int {
            let size = try enclosure.run("stat -c %s data/offers.sqlite-reserve").text
            return try #require(Int(size.trimmingCharacters(in: .newlines)), "\(size)")
        }
        func pausedOffers() async throws -> Set<String> {
            let answer = try await asker.ask("GET", "/v1/offers")
            let json = try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [String: Any]
            let items = json?["items"] as? [[String: Any]] ?? []
            #expect(items.count == offers.count)
            return Set(items.filter { $0["paused"] as? Bool == true }.compactMap { $0["offerId"] as? String })
        }
        var paused = 0
        /// Pauses one offer after the other until that takes of the room: a log that was cut short has a few pages left.
        func pauseUntilRoomIsTaken() async throws {
            let before = try kept()
            repeat {
                let answer = try await asker.ask("POST", "/v1/offers/\(offers[paused])/pause")
                #expect(answer.status == 200, "\(answer.text)")
                paused += 1
            } while try kept() == before && paused < offers.count
            #expect(try kept() == before - 262_144)
        }
        #expect(try kept() == 1_048_576)

        _ = try enclosure.run("cat /dev/zero > data/filler")
        var status = 201
        for id in 1..<200 where status == 201 {
            status = try await asker.ask("POST", "/v1/issued-offers", body: try Self.order(id, installation)).status
        }
        #expect(status == 503, "the disk never became full")
        #expect(try kept() == 1_048_576, "issuing takes nothing of it")
        try await pauseUntilRoomIsTaken()
        // Whatever has taken the rest of what was given up.
        _ = try enclosure.run("cat /dev/zero > data/filler2")
        try await pauseUntilRoomIsTaken()
        let expected = Set(offers.prefix(paused))
        #expect(try await pausedOffers() == expected)

        _ = try enclosure.run("kill -KILL \"$server\"; wait \"$server\"")
        asker = Asker(url: try Self.serve(enclosure), token: try installation.token(.admin), client: client)
        #expect(try await pausedOffers() == expected)
        #expect(try kept() == 524_288, "a start takes no room from a full disk")

        _ = try enclosure.run("rm data/filler data/filler2")
        try await until("the room is kept again") { try kept() == 1_048_576 }
        #expect(try await asker.ask("GET", "/readyz").status == 200)
        for offer in expected {
            let resumed = try await asker.ask("POST", "/v1/offers/\(offer)/resume")
            #expect(resumed.status == 200, "\(resumed.text)")
        }
        #expect(try await pausedOffers() == [])
        let issued = try await asker.ask("POST", "/v1/issued-offers", body: try Self.order(500, installation))
        #expect(issued.status == 201, "\(issued.text)")
        try await client.shutdown()
        let ended = try enclosure.run("kill -TERM \"$server\"; wait \"$server\"; echo \"ended $?\"")
        #expect(ended.text == "ended 0\n")
    }

    @Test("a file system that is mounted read-only is told by serve and by doctor")
    func readOnly() async throws {
        let installation = try await Installation()
        let enclosure = try Enclosure(directory: installation.directory.url)
        let run = try enclosure.run(
            """
            mkdir data && mount -t tmpfs -o size=8m none data && cp offers.sqlite* data/ && mount -o remount,ro data
            '\(Installation.offerd.path)' serve --config offerd.yaml --database data/offers.sqlite; echo "serve $?"
            '\(Installation.offerd.path)' doctor --config offerd.yaml --database data/offers.sqlite; echo "doctor $?"
            """)
        #expect(run.text.contains("cannot be written by this user"), "\(run.text)")
        #expect(run.text.contains("hint: check the owner and the permissions"))
        #expect(run.text.contains("serve 1\n") && run.text.contains("doctor 1\n"))
    }
}
