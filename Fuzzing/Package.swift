// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

// A package of its own: everything in it is built with libFuzzer's instruments, and needs no library but libcrypto and
// Yams. Its sources are links to the product's: whole modules, and of those that link servers and databases
// (OfferApplication, OfferHTTP, OfferdCommands) the files that read what comes from outside.
let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "ReadersUnderFuzz", type: .static, targets: ["ReadersUnderFuzz"]),
        .library(name: "DecisionsUnderFuzz", type: .static, targets: ["DecisionsUnderFuzz"]),
        .library(name: "BodiesUnderFuzz", type: .static, targets: ["BodiesUnderFuzz"]),
    ],
    dependencies: [.package(url: "https://github.com/jpsim/Yams", exact: "6.2.2")],
    targets: [
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto"),
        .target(name: "JSON", swiftSettings: settings),
        .target(
            name: "OfferModel", dependencies: ["JSON"],
            resources: [.embedInCode("Eligibility/Decide/CustomerSentences.json")], swiftSettings: settings,
            linkerSettings: [.linkedLibrary("m")]),
        .target(name: "OfferSigning", dependencies: ["JSON", "OfferModel"], swiftSettings: settings),
        .target(
            name: "OpenSSLCrypto", dependencies: ["COpenSSL", "OfferModel", "OfferSigning"],
            swiftSettings: settings + [.strictMemorySafety()]),
        .target(name: "AppStoreData", dependencies: ["JSON", "OfferModel", "OfferSigning"], swiftSettings: settings),
        .target(
            name: "ReaderFuzzing", dependencies: ["AppStoreData", "OfferModel", "OfferSigning", "OpenSSLCrypto"],
            swiftSettings: settings),
        .target(name: "ReadersUnderFuzz", dependencies: ["ReaderFuzzing"], swiftSettings: settings),

        .target(name: "OfferAPI", dependencies: ["JSON", "OfferModel"], swiftSettings: settings),
        .target(name: "OfferDocuments", dependencies: ["JSON", "OfferModel", "Yams"], swiftSettings: settings),
        .target(
            name: "BodiesUnderFuzz",
            dependencies: [
                "AppStoreData", "OfferAPI", "OfferHTTP", "OfferModel", "OfferSigning", "OpenSSLCrypto", "ReaderFuzzing",
            ], swiftSettings: settings),
        .target(name: "OfferStore", dependencies: ["JSON", "OfferModel"], swiftSettings: settings),
        .target(
            name: "OfferApplication",
            dependencies: ["AppStoreData", "OfferAPI", "OfferModel", "OfferSigning", "OfferStore"],
            swiftSettings: settings),
        .target(
            name: "OfferHTTP",
            dependencies: ["OfferAPI", "OfferApplication", "OfferModel", "OfferSigning"],
            swiftSettings: settings),
        .target(
            name: "OfferdCommands",
            dependencies: ["AppStoreData", "JSON", "OfferApplication", "OfferModel", "OfferSigning"],
            swiftSettings: settings),
        .target(
            name: "DecisionsUnderFuzz",
            dependencies: [
                "AppStoreData", "OfferAPI", "OfferApplication", "OfferDocuments", "OfferHTTP",
                "OfferModel", "OfferSigning", "OfferStore", "OfferdCommands",
            ], swiftSettings: settings),
    ]
)
