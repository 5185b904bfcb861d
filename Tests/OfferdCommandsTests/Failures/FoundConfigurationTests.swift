import CommandLineSupport
import Foundation
import OfferTestSupport
import Testing

@testable import OfferdCommands

@Suite("a configuration that is found, not given")
struct FoundConfigurationTests {

    @Test("one that another user can change is not taken, and the way to take it is named", arguments: [0o620, 0o602])
    func changeable(_ permissions: Int) throws {
        let directory = try TemporaryDirectory()
        let place = try directory.write("", to: "offerd.yaml", permissions: permissions)
        let usual = try directory.write("", to: "usual.yaml", permissions: 0o600)
        let failure = #expect(throws: CommandFailure.self) { try ConfigurationFile.search([place, usual]) }
        #expect(
            failure?.lines == [
                "error: no configuration is given, and `\(place)` is not taken by itself: others can change it",
                "hint: if it is the right one, give it: `--config \(place)`",
            ])
    }

    @Test("one of another user is not taken, not even by root", .enabled(if: geteuid() == 0))
    func foreign() throws {
        let directory = try TemporaryDirectory()
        let place = try directory.write("", to: "offerd.yaml", permissions: 0o644)
        try #require(chown(place, 65_534, 65_534) == 0)
        let failure = #expect(throws: CommandFailure.self) { try ConfigurationFile.search([place]) }
        #expect(failure?.lines.first?.hasSuffix("is not taken by itself: it belongs to `nobody`") == true)
    }

    @Test("one's own is taken, from the first place that has one")
    func own() throws {
        let directory = try TemporaryDirectory()
        let places = ["none.yaml", "a.yaml", "b.yaml"].map(directory.path)
        for place in places.dropFirst() { try Data().write(to: URL(filePath: place)) }
        for place in places.dropFirst() { chmod(place, 0o644) }
        #expect(try ConfigurationFile.search(places) == places[1])
    }
}
