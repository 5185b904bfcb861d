import Testing

@testable import OfferConsole

struct TemplatesTests {
    @Test func `the layout is a template`() throws {
        _ = try Templates.layout.get()
    }
}
