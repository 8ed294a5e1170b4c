// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableExperimentalFeature("Lifetimes"),
]

// A package of its own, so that users of the library resolve none of its dependencies.
let package = Package(
    name: "ShaleBenchmarks",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "shale-bench", targets: ["ShaleBench"])],
    dependencies: [
        .package(name: "Shale", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    ],
    targets: [
        // The codecs by themselves, for the decompression rooflines. The engine's own modules are not exported, and
        // module names are unique in a package graph.
        .systemLibrary(
            name: "SystemZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .systemLibrary(
            name: "SystemLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
        .executableTarget(
            name: "ShaleBench",
            dependencies: [
                "SystemZstd",
                "SystemLZ4",
                .product(name: "ShaleEngine", package: "Shale"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ],
            swiftSettings: settings),
    ]
)
