// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who uses or tests the library links a fuzzer. Built by tools/fuzz, which passes the
// flags that instrument this package and the library alike; nothing else has to know them.
let package = Package(
    name: "ShaleFuzz",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "fuzz", targets: ["ShaleFuzz"])],
    dependencies: [.package(name: "Shale", path: "../.."), .package(name: "ShaleTools", path: "..")],
    targets: [
        .executableTarget(
            name: "ShaleFuzz",
            dependencies: [
                .product(name: "_ShaleFuzzing", package: "Shale"),
                .product(name: "_ShaleCommand", package: "ShaleTools"),
            ],
            path: "Sources/fuzz",
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .strictMemorySafety(),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ])
    ]
)
