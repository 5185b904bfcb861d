import CommandLineSupport
import Foundation
import OfferTestSupport
import Testing

@Suite("output in a terminal")
struct TerminalCaptureTests {
    private static let offer = "--offer comeback-half-price"
    private static let customer = "--customer-id \(CapturedService.customer)"

    /// Each command by the name of its goldens.
    private static let commands = [
        ("plan", "catalog plan catalog.yaml"),
        ("dry-run", "dry-run \(offer) \(customer) --detail full"),
        ("customers-show", "customers show \(customer)"),
        ("offers-list", "offers list"),
        ("report-funnel", "report funnel \(offer) --from 2030-09-01T00:00:00Z"),
    ]

    @Test("in 80 and 120 columns, with and without colours, lines fit, ids are whole, and colours change nothing else")
    func captures() async throws {
        try await CapturedService.run { service in
            for (name, command) in Self.commands {
                let wide = try await service.shows(command + " -o wide", columns: 80, isColoured: false)
                #expect(try Golden("terminal/\(name)-wide.txt").difference(from: wide) == nil)
                let ids = Self.ids(in: wide)
                #expect(ids.count > 3, "\(name): \(ids)")
                for columns in [80, 120] {
                    let plain = try await service.shows(command, columns: columns, isColoured: false)
                    let coloured = try await service.shows(command, columns: columns, isColoured: true)
                    #expect(try Golden("terminal/\(name)-\(columns).txt").difference(from: plain) == nil)
                    #expect(
                        try Golden("terminal/\(name)-\(columns)-colour.txt")
                            .difference(from: coloured.replacing("\u{1B}", with: "\\e")) == nil)
                    #expect(coloured.replacing(#/\x1B\[[0-9;]*m/#, with: "") == plain)
                    #expect(coloured != plain)
                    for line in plain.split(separator: "\n") {
                        let isOneWord = line.split(separator: " ").count == 1
                        #expect(isOneWord || String(line).columns <= columns, "\(name) at \(columns): \(line)")
                    }
                    #expect(ids.subtracting(Self.ids(in: plain)) == [], "\(name) at \(columns)")
                }
            }
        }
    }

    /// The words that are ids or names: `user-17`, `com.example.pro.monthly`, no dates.
    private static func ids(in text: String) -> Set<Substring> {
        Set(
            text.split { " \n`,;:()[]".contains($0) }.filter {
                $0.count > 5 && $0.contains(#/[a-z0-9][-.0-9][a-z0-9]/#)
                    && $0.wholeMatch(of: #/\d{4}-\d\d-\d\d|\d+\.\d\d/#) == nil
            })
    }
}
