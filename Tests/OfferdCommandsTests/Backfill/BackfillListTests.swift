import Testing

@testable import OfferdCommands

@Suite("A list of ids to fetch")
struct BackfillListTests {
    @Test("every line is an id, whichever way lines end, and keeps its number", arguments: ["\n", "\r\n", "\r"])
    func lines(end: String) {
        let text = ["1", "", " 2\t# of another", "# nothing", "3", ""].joined(separator: end)
        #expect(
            BackfillList(text).entries == [
                BackfillList.Entry(line: 1, id: "1"), BackfillList.Entry(line: 3, id: "2"),
                BackfillList.Entry(line: 5, id: "3"),
            ])
    }
}
