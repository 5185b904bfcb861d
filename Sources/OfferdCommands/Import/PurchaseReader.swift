import AppStoreData
import OfferApplication
import OfferModel
import OfferSigning

/// Reads one exported purchase, whatever it was written in.
struct PurchaseReader {
    let scope: Scope
    private let reader: ImportedTransactionReader

    init(scope: Scope, exportedAt: Instant?) {
        self.scope = scope
        reader = ImportedTransactionReader(bundleId: scope.bundleId, exportedAt: exportedAt)
    }

    /// The purchase that a JSON object tells of.
    func read(_ json: [UInt8]) throws(ImportRefusal) -> ImportedHistory {
        do throws(SignedDataRefusal) {
            let imported = try reader.read(json)
            return ImportedHistory(
                transactions: [imported.transaction], renewalInfos: imported.renewalInfo.map { [$0] } ?? [],
                customerId: imported.customerId)
        } catch {
            throw ImportRefusal(error.member == nil ? .malformed : .invalidValue, error.detail)
        }
    }
}
