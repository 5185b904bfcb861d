import Charts

/// One small picture of each kind, for `Tests/Goldens/charts` and for `Scripts/charts`.
struct GoldenCharts: Sendable, CustomStringConvertible {
    let name: String
    let charts: [Chart]

    var description: String { name }

    static let all = [
        GoldenCharts(
            name: "waterfall",
            charts: [
                .waterfall(
                    "Funnel of comeback-half-price",
                    subtitle: "first evaluated from 2026-11-01 00:00 UTC until 2026-12-01 00:00 UTC", unit: "customers",
                    steps: [
                        ("evaluated", 120_000), ("eligible", 38_000), ("issued", 21_400), ("redeemed", 6_310),
                        ("renewed at full price", 1_204), ("still active", 980),
                    ].map { ($0, ChartNumber($1)) })
            ]),
        GoldenCharts(
            name: "lines",
            charts: [
                .series(
                    "Requests for comeback-half-price", subtitle: "in Europe/Berlin", unit: "requests", bucket: "day",
                    labels: (1...9).map { "2026-11-0\($0)" },
                    measures: [
                        counts("requests", [1_204, 1_180, 1_522, 1_490, 1_310, 980, 870, 1_266, 1_301]),
                        counts("eligible", [702, 690, 881, 860, 777, 540, 503, 730, 741]),
                        counts("issued", [331, 340, 402, 389, 360, 288, 251, 345, 350]),
                        ("redeemed", [118, 96, nil, nil, 130, 101, 88, nil, 92].map { $0.map { ChartNumber($0) } }),
                    ])
            ]),
        GoldenCharts(
            name: "bars",
            charts: [
                .series(
                    "Money of comeback-half-price in USD", unit: "USD", bucket: "month",
                    labels: ["2026-09", "2026-10", "2026-11"],
                    measures: [
                        amounts("spend", ["4965.00", "1785.50", "12.10"]),
                        amounts("revenue", ["-245.10", "3785.50", "-2100.00"]),
                        amounts("net", ["-5210.10", "2000.00", "-2112.10"]),
                    ], bars: true)
            ]),
        GoldenCharts(
            name: "budgets",
            charts: [
                .budgets(
                    "Budgets",
                    rows: [
                        ("comeback-half-price", ChartNumber(decimal: "12450.00"), ChartNumber(20_000), "USD"),
                        ("trial-month", ChartNumber(130), ChartNumber(100), "uses"),
                        ("far-over", ChartNumber(13_000), ChartNumber(100), "uses"),
                        ("without-limit", ChartNumber(77_123), nil, "uses"), ("not-known", nil, ChartNumber(5), "uses"),
                    ])
            ]),
        GoldenCharts(
            name: "none",
            charts: [
                .waterfall("Funnel of an offer without requests", unit: "customers", steps: []),
                .series("The same days", unit: "requests", bucket: "day", labels: [], measures: []),
            ]),
        GoldenCharts(
            name: "hostile",
            charts: [
                .waterfall(
                    "</text><script>alert(1)</script>", subtitle: "\"quoted\" & 'quoted' \u{1}\u{202E}", unit: "عملاء",
                    steps: [
                        ("مرحبا بالعالم", .max), ("🎉 👨‍👩‍👧 " + String(repeating: "long ", count: 40), 7), ("", .min),
                    ].map { ($0, ChartNumber($1)) })
            ]),
    ]

    private static func counts(_ name: String, _ values: [Int]) -> (String, [ChartNumber?]) {
        (name, values.map { ChartNumber($0) })
    }

    private static func amounts(_ name: String, _ values: [String]) -> (String, [ChartNumber?]) {
        (name, values.map { ChartNumber(decimal: $0) })
    }
}
