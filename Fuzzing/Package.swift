// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

// A package of its own: everything in it is built with libFuzzer's instruments, and needs no library but libcrypto. Its
// sources are links to the product's.
let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    products: [.library(name: "ReadersUnderFuzz", type: .static, targets: ["ReadersUnderFuzz"])],
    targets: [
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto"),
        .target(name: "OfferModel", swiftSettings: settings, linkerSettings: [.linkedLibrary("m")]),
        .target(name: "OfferSigning", dependencies: ["OfferModel"], swiftSettings: settings),
        .target(
            name: "OpenSSLCrypto", dependencies: ["COpenSSL", "OfferModel", "OfferSigning"],
            swiftSettings: settings + [.strictMemorySafety()]),
        .target(name: "AppStoreData", dependencies: ["OfferModel", "OfferSigning"], swiftSettings: settings),
        .target(
            name: "ReaderFuzzing", dependencies: ["AppStoreData", "OfferModel", "OfferSigning", "OpenSSLCrypto"],
            swiftSettings: settings),
        .target(name: "ReadersUnderFuzz", dependencies: ["ReaderFuzzing"], swiftSettings: settings),
    ]
)
