import OfferCatalog
import OfferModel

extension CatalogFile {
    /// The document as this version of offerctl reads it; `nil` where it cannot.
    ///
    /// What the server accepted and this version cannot read is only told in fewer words.
    var document: ValidDocument<Catalog>? { try? CatalogReader.read(bytes) }

    /// The document as text.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Prints what the reader finds odd but valid; errors are left to the server, which judges documents.
    func noteWarnings(file: String, _ console: Console) {
        for warning in document?.warnings ?? [] {
            IssueText.lines(warning, severity: .warning, file: file).forEach { console.note($0.printable) }
        }
    }

    /// A document that is not meant to be applied, checked before it is sent; its warnings are printed.
    ///
    /// - Throws: `CommandFailure` with status 2 if it cannot be read, 1 with every error if it is invalid.
    init(checking path: String, _ console: Console) throws(CommandFailure) {
        try self.init(reading: path)
        let validation = CatalogValidation(bytes, file: path)
        guard validation.isValid else { throw CommandFailure(.no, messages: validation.messages) }
        noteWarnings(file: path, console)
    }
}
