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

    @Test("nothing is released that is not recorded, /readyz is red, and all goes on when there is room (invariant 1)")
    func full() async throws {
        let installation = try await Installation()
        let enclosure = try Enclosure(directory: installation.directory.url)
        // The catalog comes in over the server's own way, before anything is full.
        let first = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        try await TestCatalog.apply(installation, first, client: client)
        #expect(await first.stop() == 0)

        let mounted = try enclosure.run(
            "mkdir data && mount -t tmpfs -o size=8m none data && cp offers.sqlite* data/ && chmod 700 data")
        try #require(mounted.status == 0, "\(mounted.text)")
        let started = try enclosure.run(
            """
            mkfifo line; (exec '\(Installation.offerd.path)' serve --config offerd.yaml --database data/offers.sqlite \
            >line 2>serve-full.log) & server=$!
            exec 3<line; IFS= read -r first <&3; echo "$first"
            """)
        let url = started.text.trimmingCharacters(in: .whitespacesAndNewlines).replacing("listening on ", with: "")
        try #require(url.hasPrefix("http://"), "\(started.text)")
        let asker = Asker(url: url, token: try installation.token(.admin), client: client)
        func order(_ id: Int) throws -> String {
            """
            {"offerId":"comeback","customer":{"originalTransactionId":"\(Installation.originalTransactionId(id))"},\
            \(try installation.lapsedCustomer(id))}
            """
        }
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
