import ArgumentParser
import Charts
import CommandLineSupport

/// `--chart`, for commands whose answer is also a picture.
///
/// Call ``open()`` before the server is asked, so that a wrong name costs no report, and ``ChartFile/write(_:)`` with what
/// it answered.
struct ChartOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Also draw a chart as SVG in this file, which is overwritten; or - to print the chart instead of the text.",
            valueName: "file.svg"),
        completion: .file(extensions: ["svg"]))
    var chart: String?

    var isPrinted: Bool { chart == "-" }

    mutating func validate() throws {
        guard let chart, !isPrinted, !chart.lowercased().hasSuffix(".svg") else { return }
        throw ValidationError("`--chart` writes SVG only: `\(chart)` does not end in .svg".printable)
    }

    /// Refuses what would print a table or a document and the chart to the same place.
    func checkAlone(csv: Bool = false, _ output: OutputOptions) throws {
        if csv, output.isGiven { throw ValidationError("use only one of `--csv`, `--json` and `--output`") }
        if isPrinted, csv || output.isGiven {
            throw ValidationError("`--chart -` prints the chart alone: name a file to get both")
        }
    }

    /// The file, which keeps its former content until the chart is written; `nil` without `--chart`.
    func open() throws -> ChartFile? {
        guard let chart else { return nil }
        return ChartFile(file: isPrinted ? nil : try AtomicFile(path: chart))
    }
}

/// Where a chart is written.
struct ChartFile {
    /// `nil` for standard output.
    let file: AtomicFile?

    func write(_ charts: [Chart]) throws {
        let svg = Chart.svg(charts, id: "offer")
        guard let file else { return try Console.output(svg) }
        try file.write(svg)
        try file.finish()
        Console.note("the chart is in `\(file.path)`".printable)
    }
}
