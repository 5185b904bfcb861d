import ArgumentParser
import Foundation
import OfferTestSupport
import Testing

@testable import OfferdCommands

@Suite("The package's systemd units")
struct UnitTests {
    private static let folder = AlertRule.root.appending(path: "Packaging")

    private static func lines(_ name: String) throws -> [String] {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8).split(separator: "\n").map(String.init)
    }

    private static func names(_ ending: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(ending) }.sorted()
    }

    @Test("every service runs a command that offerd takes, and is confined as the server is")
    func services() throws {
        let services = try Self.names(".service")
        #expect(services == ["offerd-backup.service", "offerd-verify.service", "offerd.service"])
        let server = try Self.lines("offerd.service")
        let confinement = Set(
            server.drop { $0 != "ProtectSystem=strict" }.prefix { !$0.hasPrefix("[") }
                + ["User=offerd", "Group=offerd", "UMask=0077", "LimitCORE=0"])
        #expect(confinement.count > 25)
        for service in services {
            let lines = try Self.lines(service)
            let start = try #require(lines.first { $0.hasPrefix("ExecStart=/usr/bin/offerd ") })
            let arguments = start.split(separator: " ").dropFirst().map(String.init)
            _ = try Offerd.parseAsRoot(arguments)
            #expect(arguments.contains("/etc/offerd/offerd.yaml"))
            // A command without a network has fewer families of addresses.
            let isAlone = lines.contains("PrivateNetwork=yes") && lines.contains("RestrictAddressFamilies=AF_UNIX")
            let missing = confinement.subtracting(lines)
            #expect(missing.filter { !(isAlone && $0.hasPrefix("RestrictAddressFamilies=")) } == [], "\(service)")
        }
    }

    @Test("every timer has its service, is none of what an installation starts, and goes with the package")
    func timers() throws {
        let timers = try Self.names(".timer")
        #expect(timers == ["offerd-backup.timer", "offerd-verify.timer"])
        let removal = try Self.lines("prerm").joined(separator: "\n")
        let installation = try Self.lines("postinst").joined(separator: "\n")
        let page = try String(contentsOf: AlertRule.root.appending(path: "docs/operations.md"), encoding: .utf8)
        for timer in timers {
            #expect(try Self.names(".service").contains(timer.replacing(".timer", with: ".service")))
            #expect(try Self.lines(timer).contains("Persistent=true"))
            #expect(removal.contains(timer))
            #expect(!installation.contains(timer) && !installation.contains("enable"))
            #expect(page.contains(timer), "\(timer) is not documented")
        }
    }

    @Test("systemd takes every unit", .enabled(if: Self.hasAnalyzer, "`systemd-analyze` is not installed"))
    func verified() throws {
        // The program is not installed here.
        let directory = try TemporaryDirectory()
        for name in try Self.names(".service") + Self.names(".timer") {
            let text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
            try directory.write(text.replacing("/usr/bin/offerd", with: "/bin/true"), to: name)
        }
        for name in try Self.names(".service") + Self.names(".timer") {
            let judged = try Command.run("systemd-analyze", ["verify", "--man=no", directory.path(name)])
            #expect(judged.status == 0 && !judged.errorText.contains(name + ":"), "\(judged.errorText)")
        }
    }

    private static var hasAnalyzer: Bool { (try? Command.run("systemd-analyze", ["--version"]))?.status == 0 }
}
