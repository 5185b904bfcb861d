/// Rules of every source file; violations are `path:line: reason`.
enum SourceRules {
    static let longestFile = 400
    /// Where the programs begin.
    static let programs: Set<String> = ["offerd", "offerctl"]
    /// The targets that may write to the terminal.
    static let commands: Set<String> = ["OfferctlCommands", "OfferdCommands"]

    static func violations(in file: SourceFile) -> [String] {
        let code = SwiftCode(file.text)
        var found: [(line: Int, reason: String)] = []
        func forbid(_ lines: [Int], _ reason: String) {
            found += lines.map { ($0, reason) }
        }
        if code.lines.count > longestFile { found.append((code.lines.count, "longer than \(longestFile) lines")) }
        forbid(code.uses(of: "try!"), "`try!` ends the process")
        forbid(code.uses(of: "fatalError("), "`fatalError` ends the process")
        for function in ["precondition", "preconditionFailure", "assertionFailure"] {
            forbid(code.callsWithoutText(of: function), "`\(function)` without a reason")
        }
        if !commands.contains(file.target) {
            for function in ["print(", "debugPrint(", "dump("] {
                forbid(code.uses(of: function), "`\(function)` in a library")
            }
        }
        if !programs.contains(file.target) {
            forbid(code.uses(of: "@main"), "`@main` outside the programs")
            if file.path.hasSuffix("/main.swift") { found.append((1, "a `main.swift` outside the programs")) }
        }
        return found.map { "\(file.path):\($0.line): \($0.reason)" }
    }
}
