// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that neither the library nor the harness resolves the dependencies of these benchmarks.
let package = Package(
    name: "ShaleMicroBenchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Shale", path: "../.."),
        // Without traits: they replace malloc and would change what is measured.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "HotPathBenchmarks",
            dependencies: [
                .product(name: "_ShaleHotPaths", package: "Shale"),
                .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "Benchmarks/HotPathBenchmarks",
            swiftSettings: [.swiftLanguageMode(.v6)],
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")])
    ]
)
