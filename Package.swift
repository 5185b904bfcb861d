// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

// Optimising the tests would take as long as running them.
let testSettings = settings + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

let fixtures: [Resource] = [.copy("Fixtures")]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let metricsTestKit = Target.Dependency.product(name: "MetricsTestKit", package: "swift-metrics")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

// What `--version` shows beside the version; `Scripts/release` sets it.
let commit = Context.environment["OFFERD_COMMIT"] ?? ""

let package = Package(
    name: "offerd",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "offerd", targets: ["offerd"]),
        .executable(name: "offerctl", targets: ["offerctl"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "CBuild", cSettings: [.define("OFFERD_COMMIT", to: "\"\(commit)\"")]),
        .target(name: "Charts", swiftSettings: settings),
        .target(name: "JSON", swiftSettings: settings),
        // Rounding is libm's, which nothing else would bring into a program of these two targets alone.
        .target(
            name: "OfferModel", dependencies: ["JSON"],
            resources: [.embedInCode("Eligibility/Decide/CustomerSentences.json")], swiftSettings: settings,
            linkerSettings: [.linkedLibrary("m")]),
        .target(name: "OfferDocuments", dependencies: ["JSON", "OfferModel", yams], swiftSettings: settings),
        .target(name: "OfferSigning", dependencies: ["JSON", "OfferModel"], swiftSettings: settings),
        .target(
            name: "OpenSSLCrypto", dependencies: ["COpenSSL", "OfferModel", "OfferSigning"],
            swiftSettings: settings + [.strictMemorySafety()]),
        .target(name: "AppStoreData", dependencies: ["JSON", "OfferModel", "OfferSigning"], swiftSettings: settings),
        .target(
            name: "AppStoreServer",
            dependencies: ["OfferModel", "OfferSigning", asyncHTTPClient, nioCore, nioHTTP1],
            swiftSettings: settings),
        .target(
            name: "LocalAppStore", dependencies: ["AppStoreData", "OfferModel", "OfferSigning", "OpenSSLCrypto"],
            swiftSettings: settings),
        .target(name: "OfferStore", dependencies: ["JSON", "OfferModel"], swiftSettings: settings),
        .target(name: "SQLiteStore", dependencies: ["CSQLite", "OfferStore"], swiftSettings: settings),
        .target(name: "CPostgres"),
        .target(name: "PostgresStore", dependencies: ["CPostgres", "OfferStore"], swiftSettings: settings),
        .target(
            name: "OfferApplication",
            dependencies: [
                "AppStoreData", "AppStoreServer", "OfferAPI", "OfferDocuments", "OfferModel",
                "OfferSigning", "OfferStore", metrics,
            ],
            swiftSettings: settings),
        .target(name: "OfferAPI", dependencies: ["JSON", "OfferModel"], swiftSettings: settings),
        .target(
            name: "OfferWords", dependencies: ["Charts", "OfferAPI", "OfferDocuments", "OfferModel"],
            swiftSettings: settings),
        .target(
            name: "OfferHTTP",
            dependencies: [
                "OfferAPI", "OfferApplication", "OfferDocuments", "OfferModel", "OfferSigning",
                hummingbird, hummingbirdCore, httpTypes, logging, metrics, nioCore, nioSSL,
            ],
            resources: [.embedInCode("openapi.yaml"), .embedInCode("docs.html")], swiftSettings: settings),
        .target(
            name: "OfferConsole",
            dependencies: [
                "Charts", "OfferAPI", "OfferApplication", "OfferDocuments", "OfferHTTP", "OfferModel", "OfferWords",
                hummingbird, httpTypes, mustache,
            ],
            resources: [
                .embedInCode("Assets/console.js"),
                .embedInCode("Assets/style.css"),
                .embedInCode("Templates/age.mustache"),
                .embedInCode("Templates/audience.mustache"),
                .embedInCode("Templates/board.mustache"),
                .embedInCode("Templates/catalog.mustache"),
                .embedInCode("Templates/changes.mustache"),
                .embedInCode("Templates/customer.mustache"),
                .embedInCode("Templates/decision.mustache"),
                .embedInCode("Templates/entry.mustache"),
                .embedInCode("Templates/fields.mustache"),
                .embedInCode("Templates/finding.mustache"),
                .embedInCode("Templates/home.mustache"),
                .embedInCode("Templates/issuedOffer.mustache"),
                .embedInCode("Templates/layout.mustache"),
                .embedInCode("Templates/offer.mustache"),
                .embedInCode("Templates/offers.mustache"),
                .embedInCode("Templates/operations.mustache"),
                .embedInCode("Templates/overview.mustache"),
                .embedInCode("Templates/pauseAll.mustache"),
                .embedInCode("Templates/pauseForm.mustache"),
                .embedInCode("Templates/picture.mustache"),
                .embedInCode("Templates/problem.mustache"),
                .embedInCode("Templates/recordedDecision.mustache"),
                .embedInCode("Templates/refusal.mustache"),
                .embedInCode("Templates/results.mustache"),
                .embedInCode("Templates/revision.mustache"),
                .embedInCode("Templates/search.mustache"),
                .embedInCode("Templates/signatures.mustache"),
                .embedInCode("Templates/signIn.mustache"),
                .embedInCode("Templates/table.mustache"),
                .embedInCode("Templates/time.mustache"),
            ], swiftSettings: settings),
        .target(
            name: "CommandLineSupport", dependencies: ["CBuild", "OfferAPI", "OfferModel", argumentParser, yams],
            swiftSettings: settings),
        .target(
            name: "OfferctlCommands",
            dependencies: [
                "Charts", "CommandLineSupport", "OfferAPI", "OfferDocuments", "OfferModel", "OfferSigning",
                "OfferWords", "OpenSSLCrypto", argumentParser, asyncHTTPClient, nioCore, nioHTTP1, nioPosix, nioSSL,
            ],
            swiftSettings: settings),
        .target(
            name: "OfferdCommands",
            dependencies: [
                "AppStoreServer", "CZlib", "CommandLineSupport", "JSON", "LocalAppStore", "OfferAPI",
                "OfferApplication", "OfferConsole", "OfferDocuments", "OfferHTTP",
                "OfferModel", "OfferStore",
                "OpenSSLCrypto", "PostgresStore", "SQLiteStore", argumentParser, asyncHTTPClient, hummingbird, logging,
                metrics, nioCore,
                nioHTTP1, serviceLifecycle, unixSignals,
            ],
            resources: [.embedInCode("Setup/catalog.yaml")], swiftSettings: settings),
        .executableTarget(name: "offerd", dependencies: ["OfferdCommands"], swiftSettings: settings),
        .executableTarget(name: "offerctl", dependencies: ["OfferctlCommands"], swiftSettings: settings),

        // `Benchmarks/`: the evaluator, the JSON and the service, each in a process, and the floors they are compared with.
        .executableTarget(
            name: "DecideBenchmark", dependencies: ["OfferModel", "Rounds"], path: "Benchmarks/Sources/DecideBenchmark",
            swiftSettings: settings),
        .executableTarget(
            name: "WireBenchmark", dependencies: ["OfferAPI", "OfferModel", "Rounds"],
            path: "Benchmarks/Sources/WireBenchmark", swiftSettings: settings),
        .executableTarget(
            name: "ServiceBenchmark",
            dependencies: [
                "AppStoreData", "OfferAPI", "OfferApplication", "OfferModel", "OfferSigning", "OfferStore",
                "OpenSSLCrypto",
                "Rounds", "SQLiteStore",
            ],
            path: "Benchmarks/Sources/ServiceBenchmark", swiftSettings: settings),
        .executableTarget(
            name: "EchoFloor", dependencies: [hummingbird], path: "Benchmarks/Sources/EchoFloor",
            swiftSettings: settings),
        .executableTarget(
            name: "StoreFloor", path: "Benchmarks/Sources/StoreFloor", swiftSettings: settings,
            linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("pthread")]),
        .target(name: "Rounds", path: "Benchmarks/Sources/Rounds", swiftSettings: settings),

        .target(
            name: "OfferTestSupport",
            dependencies: [
                "OfferModel", "OfferStore", "PostgresStore", "SQLiteStore", argumentParser, nioCore, nioHTTP1, nioPosix,
            ],
            path: "Tests/OfferTestSupport",
            swiftSettings: testSettings),
        // Also a target of `Fuzzing/`, where libFuzzer makes the inputs.
        .target(
            name: "ReaderFuzzing", dependencies: ["AppStoreData", "OfferModel", "OfferSigning", "OpenSSLCrypto"],
            path: "Tests/ReaderFuzzing", swiftSettings: testSettings),
        .testTarget(name: "ArchitectureTests", swiftSettings: testSettings),
        .testTarget(
            name: "ChartsTests", dependencies: ["Charts", "OfferTestSupport"], swiftSettings: testSettings),
        .testTarget(
            name: "JSONTests", dependencies: ["JSON", "OfferModel", "OfferTestSupport"], swiftSettings: testSettings),
        .testTarget(
            name: "OfferModelTests", dependencies: ["OfferModel", "OfferTestSupport"], swiftSettings: testSettings),
        .testTarget(
            name: "OfferDocumentsTests", dependencies: ["OfferDocuments", "OfferModel", "OfferTestSupport"],
            resources: fixtures, swiftSettings: testSettings),
        .testTarget(
            name: "EligibilityTests",
            dependencies: ["OfferDocuments", "OfferModel", "OfferTestSupport"], resources: fixtures,
            swiftSettings: testSettings),
        .testTarget(
            name: "OfferSigningTests",
            dependencies: ["OfferModel", "OfferSigning", "OfferTestSupport", "OpenSSLCrypto"], resources: fixtures,
            swiftSettings: testSettings),
        .testTarget(
            name: "OpenSSLCryptoTests",
            dependencies: ["OfferModel", "OfferSigning", "OfferTestSupport", "OpenSSLCrypto"],
            swiftSettings: testSettings),
        .testTarget(
            name: "AppStoreDataTests",
            dependencies: [
                "AppStoreData", "LocalAppStore", "OfferModel", "OfferSigning", "OfferTestSupport",
                "OpenSSLCrypto", "ReaderFuzzing",
            ],
            resources: fixtures, swiftSettings: testSettings),
        .testTarget(
            name: "AppStoreServerTests",
            dependencies: [
                "AppStoreData", "AppStoreServer", "LocalAppStore", "OfferModel", "OfferSigning", "OfferTestSupport",
                "OpenSSLCrypto", nioCore, nioHTTP1, nioPosix,
            ],
            resources: fixtures, swiftSettings: testSettings),
        .testTarget(
            name: "LocalAppStoreTests",
            dependencies: [
                "AppStoreData", "LocalAppStore", "OfferModel", "OfferSigning", "OfferTestSupport", "OpenSSLCrypto",
            ],
            resources: fixtures, swiftSettings: testSettings),
        .testTarget(
            name: "OfferStoreTests",
            dependencies: [
                "OfferModel", "OfferStore", "OfferTestSupport", "OpenSSLCrypto", "PostgresStore", "SQLiteStore",
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "SQLiteStoreTests",
            dependencies: [
                "OfferModel", "OfferStore", "OfferTestSupport", "OpenSSLCrypto", "SQLiteStore",
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "PostgresStoreTests",
            dependencies: ["OfferModel", "OfferStore", "OfferTestSupport", "PostgresStore"],
            swiftSettings: testSettings),
        .testTarget(
            name: "OfferApplicationTests",
            dependencies: [
                "AppStoreData", "AppStoreServer", "LocalAppStore", "OfferAPI", "OfferApplication", "OfferDocuments",
                "OfferModel", "OfferSigning", "OfferStore", "OfferTestSupport", "OpenSSLCrypto",
                "PostgresStore", metrics, metricsTestKit,
            ],
            resources: fixtures, swiftSettings: testSettings),
        .testTarget(
            name: "OfferAPITests", dependencies: ["JSON", "OfferAPI", "OfferModel", "OfferTestSupport"],
            swiftSettings: testSettings),
        .testTarget(
            name: "OfferHTTPTests",
            dependencies: [
                "AppStoreServer", "LocalAppStore", "OfferAPI", "OfferApplication", "OfferDocuments",
                "OfferHTTP",
                "OfferModel", "OfferSigning", "OfferStore", "OfferTestSupport", "OfferWords", "OpenSSLCrypto",
                "SQLiteStore", hummingbird,
                httpTypes, logging, nioCore, nioPosix, serviceLifecycle, yams,
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "OfferConsoleTests",
            dependencies: [
                "LocalAppStore", "OfferAPI", "OfferApplication", "OfferConsole", "OfferDocuments", "OfferHTTP",
                "OfferModel", "OfferSigning", "OfferStore", "OfferTestSupport", "OpenSSLCrypto", "SQLiteStore",
                hummingbird, httpTypes, logging, nioCore, nioPosix, serviceLifecycle,
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "OfferctlCommandsTests",
            dependencies: [
                "Charts", "CommandLineSupport", "OfferAPI", "OfferModel", "OfferTestSupport",
                "OfferWords", "OfferctlCommands", "offerctl",
                argumentParser, nioCore,
                nioHTTP1, nioPosix, yams,
            ],
            resources: fixtures, swiftSettings: testSettings),
        .testTarget(
            name: "OfferdCommandsTests",
            dependencies: [
                "AppStoreData", "CommandLineSupport", "LocalAppStore", "OfferApplication", "OfferDocuments",
                "OfferModel", "OfferSigning",
                "OfferStore", "OfferTestSupport", "OfferdCommands", "OpenSSLCrypto", "SQLiteStore", "offerctl",
                "offerd", argumentParser, asyncHTTPClient, metrics, nioCore, nioPosix, nioSSL,
            ],
            resources: fixtures, swiftSettings: testSettings),
    ]
)
