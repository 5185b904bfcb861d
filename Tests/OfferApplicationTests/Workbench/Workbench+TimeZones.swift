import Foundation
import OfferApplication
import OfferModel

extension TimeZones {
    /// Those of Foundation.
    static let known = TimeZones { name in
        guard let zone = TimeZone(identifier: name) else { return nil }
        return { instant in
            Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant.milliseconds) / 1_000))) * 1_000
        }
    }
}
