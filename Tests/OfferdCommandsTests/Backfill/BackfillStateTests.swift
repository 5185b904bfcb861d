import CommandLineSupport
import Foundation
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferdCommands

@Suite("The state file of a backfill")
struct BackfillStateTests {
    private static let scope = Scope(bundleId: "com.example.pro", environment: .sandbox)
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var file: BackfillStateFile { BackfillStateFile(path: directory.path("state.json")) }

    @Test("is read as it was written, by its owner alone, also where an older one was open to others")
    func written() throws {
        try directory.write("{}", to: "state.json", permissions: 0o644)
        var state = BackfillState(scope: Self.scope, source: "ids", startedAt: Instant(milliseconds: 5))
        state.done = 3
        state.note(BackfillState.Finding(place: "line 1", id: "4711", reason: "unknown"))
        try file.write(state)
        #expect(try file.read() == state)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["state.json"])
        file.remove()
        #expect(try file.read() == nil)
    }

    @Test(
        "with anything that no backfill writes is an error for people",
        arguments: [
            #""done":-1"#, #""done":9223372036854775807"#, #""done":1e3000"#, #""done":"1""#, #""done":1.5"#,
            #""known":-9"#, #""refused":1000000000001"#, #""added":9223372036854775808"#, #""version":2"#,
            #""startedAt":"today""#, #""findings":{}"#, #""source":null"#, "\u{0}", "[[[",
        ])
    func garbage(_ member: String) throws {
        let name = member.prefix { $0 != ":" }
        let members = [
            #""version":1"#, #""app":"a""#, #""environment":"Sandbox""#, #""source":"ids""#, #""startedAt":3"#,
            #""done":1"#,
            #""fetched":0"#, #""known":0"#, #""refused":0"#, #""incomplete":0"#, #""added":0"#, #""updated":0"#,
            #""unchanged":0"#, #""findings":[]"#,
        ]
        func text(_ members: [String]) -> String { "{\(members.joined(separator: ","))}" }
        try directory.write(text(members), to: "state.json")
        #expect(try file.read()?.done == 1)
        try directory.write(text(members.filter { !$0.hasPrefix("\(name):") } + [member]), to: "state.json")
        let failure = #expect(throws: CommandFailure.self) { try file.read() }
        #expect(failure?.status.rawValue == 2 && failure?.message == "`\(file.path)` is not the state of a backfill")
        #expect(failure?.hints.count == 1)
    }

    @Test("with more findings than a backfill keeps is no state of one")
    func findings() throws {
        var state = BackfillState(scope: Self.scope, source: "ids", startedAt: Instant(milliseconds: 5))
        state.findings = (0...1_000).map { BackfillState.Finding(place: "line \($0)", reason: "r") }
        try file.write(state)
        #expect(throws: CommandFailure.self) { try file.read() }
    }
}
