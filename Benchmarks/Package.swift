// swift-tools-version: 6.2
import PackageDescription

// A package of its own: the product never depends on what measures it.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "offerd", path: "..")],
    targets: [
        .executableTarget(
            name: "DecideBenchmark", dependencies: [.product(name: "OfferEligibility", package: "offerd")])
    ]
)
