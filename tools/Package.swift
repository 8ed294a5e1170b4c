// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// With SHALE_RADOS the command reaches clusters, and needs librados (`apt install librados-dev`).
let hasClusters = Context.environment["SHALE_RADOS"] != nil
let commandSettings = settings + (hasClusters ? [.define("RADOS")] : [])

// A package of its own, so that a user of the library never resolves what only the command needs.
let package = Package(
    name: "ShaleTools",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "shale", targets: ["ShaleMain"]),
        // Not API: the parsers of the command, for tools/Fuzzers.
        .library(name: "_ShaleCommand", targets: ["ShaleCommand"]),
        .executable(name: "hot-paths", targets: ["HotPaths"]),
        .executable(name: "gate", targets: ["Gate"]),
        .executable(name: "system-calls", targets: ["SystemCalls"]),
        .executable(name: "mutate", targets: ["Mutate"]),
    ],
    dependencies: [
        .package(name: "Shale", path: "..", traits: hasClusters ? ["Encryption", "RADOS"] : ["Encryption"]),
        .package(name: "ShaleShared", path: "Shared"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
        .package(url: "https://github.com/swiftlang/swift-subprocess.git", exact: "1.0.2"),
        // The paths and descriptors of swift-subprocess.
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    ],
    targets: [
        // Not named "shale": that would collide with the module Shale where file names ignore case.
        .executableTarget(
            name: "ShaleMain", dependencies: ["ShaleCommand"], path: "Sources/shale-main", swiftSettings: settings),
        .target(
            name: "ShaleCommand",
            dependencies: [
                .product(name: "Shale", package: "Shale"),
                .product(name: "ShaleCollections", package: "Shale"),
                .product(name: "ShaleCluster", package: "Shale"),
                .product(name: "ShaleEngine", package: "Shale"),
                .product(name: "ShaleEncryption", package: "Shale"),
                .product(name: "ShaleMaintenance", package: "Shale"),
                .product(name: "Formatting", package: "ShaleShared"),
                .product(name: "Pages", package: "ShaleShared"),
                .product(name: "Posix", package: "ShaleShared"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/shale",
            swiftSettings: commandSettings),
        // The program that the gates run under callgrind and disassemble.
        .executableTarget(
            name: "HotPaths",
            dependencies: [.product(name: "_ShaleHotPaths", package: "Shale")],
            path: "Sources/hot-paths",
            swiftSettings: settings),
        // The program that strace observes, and the checks of its output.
        .executableTarget(
            name: "SystemCalls",
            dependencies: [.product(name: "ShaleEngine", package: "Shale")],
            path: "Sources/system-calls",
            swiftSettings: settings),
        .testTarget(
            name: "SystemCallsTests",
            dependencies: ["SystemCalls"],
            path: "Tests/SystemCalls",
            swiftSettings: settings),
        .executableTarget(
            name: "Gate",
            dependencies: [
                .product(name: "Formatting", package: "ShaleShared"),
                .product(name: "Posix", package: "ShaleShared"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system", condition: .when(platforms: [.linux])),
            ],
            path: "Sources/gate",
            swiftSettings: settings),
        .testTarget(name: "GateTests", dependencies: ["Gate"], path: "Tests/Gate", swiftSettings: settings),
        // The program of `tools/mutations`.
        .executableTarget(
            name: "Mutate",
            dependencies: [
                .product(name: "Formatting", package: "ShaleShared"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system", condition: .when(platforms: [.linux])),
            ],
            path: "Sources/mutate",
            swiftSettings: settings),
        .testTarget(name: "MutateTests", dependencies: ["Mutate"], path: "Tests/Mutate", swiftSettings: settings),
        .testTarget(
            name: "ShaleCommandTests",
            dependencies: [
                "ShaleCommand",
                .product(name: "Shale", package: "Shale"),
                .product(name: "ShaleCollections", package: "Shale"),
                .product(name: "ShaleCluster", package: "Shale"),
                .product(name: "ShaleEncryption", package: "Shale"),
                .product(name: "Formatting", package: "ShaleShared"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Command",
            // Read from where they are, so that a run that finds something can add to them.
            exclude: ["Corpus"],
            swiftSettings: commandSettings),
    ]
)
