import OfferAPI

extension Console {
    /// Writes a page of a list as a table, or that it is empty; where it goes on is a message.
    func write<Item>(_ page: PageBody<Item>, _ table: TextTable, empty: String) {
        write(table.isEmpty ? empty : table.lines(palette).joined(separator: "\n"))
        noteNext(page.next)
    }

    /// Says where a list goes on, if it does.
    func noteNext(_ next: String?) {
        if let next { note("hint: there are more: add `--cursor \(next.printable)`") }
    }
}
