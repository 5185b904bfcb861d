import Foundation
import OfferTestSupport

/// Comma-separated values as another program reads them: Python's `csv`, strictly.
enum CSVReading {
    static func rows(_ bytes: [UInt8]) throws -> [[String]] {
        let program = """
            import csv, io, json, sys
            print(json.dumps(list(csv.reader(io.StringIO(sys.stdin.buffer.read().decode(), newline=""), strict=True))))
            """
        let read = try Command.run("python3", ["-c", program], input: bytes)
        return try JSONDecoder().decode([[String]].self, from: Data(read.output))
    }
}
