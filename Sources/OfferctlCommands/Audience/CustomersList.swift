import ArgumentParser
import CommandLineSupport
import OfferAPI
import OfferModel
import OfferWords

struct CustomersList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the customers who meet a condition.",
        discussion: """
            The condition is in the words of the catalog: FACT OPERATOR VALUE, joined by and, or, not and parentheses. A \
            customer who may or may not meet it is left out. Facts of a subscription are those of one \
            subscription group; it is enough that the condition holds for one. A page may be short although more follow.

            Needs a key with the role support or marketing. A marketing key gets only how many match, in \
            tens, and of fewer than 10 that they are few.

            Example:
              offerctl customers list --where 'customer.refunds moreThan 1'
              offerctl customers list \\
                --where 'subscription.state is expired and customer.storefront is USA'
            """)

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp("List customers who meet this condition.", valueName: "condition"))
    var condition: String

    @OptionGroup var page: PageOptions
    @OptionGroup var answer: AnswerOptions

    func run() async throws {
        try ConditionArgument.check(condition)
        var request = CustomerSearchRequest()
        (request.where, request.cursor) = (condition, page.cursor)
        if let limit = page.limit { request.limit = limit }
        let found = try await answer.show { client in
            try await client.post("/v1/customers/search", request, as: CustomerSearchPage.self)
        } text: { page in
            if let matching = page.matching {
                return "\(matching.words) customers meet it; a key with the role support lists them"
            }
            let table = SimulationText.customers(page.customers)
            let unknown = page.undetermined ?? 0
            return
                ((table.isEmpty ? ["no customers were found"] : table.lines(answer.output.palette))
                + (unknown > 0 ? ["\(unknown.counted("more customer")) may or may not meet it"] : []))
                .joined(separator: "\n")
        }
        answer.noteNext(found.nextCursor)
    }
}
