// swift-tools-version: 6.2
import PackageDescription

let evaluator = Target.Dependency.product(name: "OfferModel", package: "offerd")
let wire = Target.Dependency.product(name: "OfferAPI", package: "offerd")
let service = Target.Dependency.product(name: "OfferService", package: "offerd")

// A package of its own: the product never depends on what measures it. Each program is built alone where it is needed:
// `Scripts/bench --check` counts instructions of the first two, which need no other package.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "offerd", path: ".."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
    ],
    targets: [
        .executableTarget(name: "DecideBenchmark", dependencies: [evaluator, "Rounds"]),
        .executableTarget(name: "WireBenchmark", dependencies: [evaluator, wire, "Rounds"]),
        .executableTarget(name: "ServiceBenchmark", dependencies: [evaluator, service, wire, "Rounds"]),
        .executableTarget(
            name: "EchoFloor", dependencies: [.product(name: "Hummingbird", package: "hummingbird")]),
        .executableTarget(
            name: "StoreFloor", linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("pthread")]),
        .target(name: "Rounds"),
    ]
)
