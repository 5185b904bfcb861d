import CSQLite
import OfferStore

public enum SQLiteVersion {
    private static let oldest: Int32 = 3_037_000

    /// The SQLite that this process runs with, such as 3051003 for 3.51.3.
    public static var current: Int32 { sqlite3_libversion_number() }

    public static func text(_ number: Int32) -> String {
        "\(number / 1_000_000).\(number / 1_000 % 1_000).\(number % 1_000)"
    }

    /// Whether a version can lose commits where several processes write the log back at once
    /// ([WAL-reset bug](https://www.sqlite.org/wal.html#walresetbug)): fixed in 3.51.3, 3.50.7 and 3.44.6.
    public static func hasResetFault(_ number: Int32) -> Bool {
        switch number {
        case ..<3_044_006: true
        case ..<3_045_000: false
        case ..<3_050_007: true
        case ..<3_051_000: false
        default: number < 3_051_003
        }
    }

    /// The remedy for a version that has that fault.
    public static let faultHint =
        "use SQLite 3.51.3 or later; until then open the file with no other program, such as a `sqlite3` shell: offerd avoids the fault"

    static func check() throws {
        if current < oldest {
            throw StoreError.unsuitable("SQLite \(text(current)) is too old: \(text(oldest)) or later is needed")
        }
    }
}
