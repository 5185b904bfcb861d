extension ServerOptions {
    /// Runs a command's requests. A refusal by the server becomes the program's end; with `json` its document is printed.
    ///
    /// - Parameters:
    ///   - role: the role the command needs, said where the key's role does not do.
    ///   - files: the files that are sent, for the place of their errors.
    func ask(
        role: String, files: SentFiles = SentFiles(), json: Bool,
        _ requests: (OfferdClient, Console) async throws -> Void
    ) async throws {
        let console = Console.process
        do {
            try await requests(try client(console.environment), console)
        } catch let refusal as OfferdClient.Refusal {
            if json { console.write(json: refusal.body) }
            throw refusal.commandFailure(files: files, role: role)
        }
    }
}
