import CBuild

/// The version of both programs.
package enum ProgramVersion {
    /// By semantic versioning.
    package static let number = "0.1.0"

    /// What `--version` prints: the number, and the commit if the build was told it, as in `0.1.0 (3974bb0c21aa)`.
    package static var text: String {
        let commit = String(cString: offerd_commit())
        return commit.isEmpty ? number : "\(number) (\(commit))"
    }
}
