import Foundation

// usage: ServiceBenchmark sign FOLDER [URI LIBRARY PIN]
//        ServiceBenchmark verify FOLDER
//        ServiceBenchmark facts FOLDER
//        ServiceBenchmark history FOLDER
//        ServiceBenchmark record FOLDER WAITERS FIRST
//
// Measures the service's parts in one process, with OpenSSL and SQLite as they are. FOLDER is one that
// Benchmarks/Service/service.py prepared: keys, a root, a grown database, and `signed.txt` for `verify`; `history`
// needs none of it. `facts` and `record` ask for customers of that database; `record` writes into it, from the FIRST
// customer on. Each line is a name, a tab, and what it took.

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 2 else {
    FileHandle.standardError.write(Data("error: say what to measure, and the prepared folder\n".utf8))
    exit(2)
}
let folder = URL(filePath: arguments[1])
switch arguments[0] {
case "sign": try Signing(folder: folder, token: Array(arguments.dropFirst(2))).measure()
case "verify": try Verifying(folder: folder).measure()
case "facts": try await FactsReading(folder: folder).measure()
case "history": try await HistoryReading().measure()
case "record":
    let numbers = arguments.dropFirst(2).compactMap { Int($0) }
    try await Recording(folder: folder).measure(waiters: numbers.first ?? 1, first: numbers.dropFirst().first ?? 0)
default:
    FileHandle.standardError.write(Data("error: `\(arguments[0])` is nothing to measure\n".utf8))
    exit(2)
}
