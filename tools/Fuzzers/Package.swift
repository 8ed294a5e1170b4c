// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that users and tests of the library link no fuzzer. tools/fuzz builds it and passes the
// flags that instrument both this package and the library. No manifest contains these flags.
let package = Package(
    name: "ShaleFuzz",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "fuzz", targets: ["ShaleFuzz"])],
    dependencies: [
        .package(name: "Shale", path: "../..", traits: ["Encryption", "HTTP"]),
        .package(name: "ShaleTools", path: ".."),
    ],
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
