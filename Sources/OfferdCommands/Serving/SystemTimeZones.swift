import Foundation
import OfferApplication
import OfferModel

extension TimeZones {
    /// Those of Foundation, by their names in the IANA database.
    static let ofFoundation = TimeZones { name in
        // Foundation takes a name up to a NUL, and more forms of names than anyone documents.
        guard name.utf8.count <= 64, name.utf8.allSatisfy(isOfName), let zone = TimeZone(identifier: name) else {
            return nil
        }
        return { instant in
            let date = Date(timeIntervalSince1970: Double(instant.milliseconds) / 1_000)
            return Int64(zone.secondsFromGMT(for: date)) * Instant.Duration.second
        }
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "+"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
