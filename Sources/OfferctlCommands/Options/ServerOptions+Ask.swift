extension ServerOptions {
    /// Runs a command's requests. A refusal by the server becomes the program's end; with `json` its document is printed.
    ///
    /// - Parameters:
    ///   - role: the role the command needs, said where the key's role does not do.
    ///   - file: the catalog document that is sent, for the place of its errors.
    func ask(
        role: String, file: String? = nil, json: Bool, _ requests: (OfferdClient, Console) async throws -> Void
    ) async throws {
        let console = Console.process
        do {
            try await requests(try client(console.environment), console)
        } catch let refusal as OfferdClient.Refusal {
            if json { console.write(json: refusal.body) }
            throw refusal.commandFailure(file: file, role: role)
        }
    }
}
