// swift-tools-version: 6.2
import Foundation
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableExperimentalFeature("Lifetimes"),
]

/// Builds of the peers without assertions, which `Benchmarks/setup --optimized` makes. They are linked when they exist.
let optimizedPeers = Context.packageDirectory + "/.peers/lib"
let hasOptimizedPeers = FileManager.default.fileExists(atPath: optimizedPeers + "/complete")
let peerSettings: [SwiftSetting] = hasOptimizedPeers ? [.define("OPTIMIZED_PEERS")] : []
let peerLinking: [LinkerSetting] =
    hasOptimizedPeers ? [.unsafeFlags(["-L" + optimizedPeers, "-Xlinker", "-rpath", "-Xlinker", optimizedPeers])] : []

// A separate package, so that users of the library resolve none of its dependencies.
let package = Package(
    name: "ShaleBenchmarks",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "shale-bench", targets: ["ShaleBench"])],
    dependencies: [
        .package(name: "Shale", path: ".."),
        .package(name: "ShaleShared", path: "../tools/Shared"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        // A peer: SQLite as Swift applications use it.
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        // The codecs, for the decompression rooflines. The engine's own modules are not exported, and module names are
        // unique in a package graph.
        .systemLibrary(
            name: "SystemZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .systemLibrary(
            name: "SystemLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
        // The peers. Some distributions lack pkg-config files for LevelDB and LMDB, so the module maps name the
        // libraries.
        .systemLibrary(name: "SystemLevelDB", providers: [.apt(["libleveldb-dev"]), .brew(["leveldb"])]),
        .systemLibrary(name: "SystemRocksDB", providers: [.apt(["librocksdb-dev"]), .brew(["rocksdb"])]),
        .systemLibrary(name: "SystemLMDB", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .systemLibrary(name: "SystemSQLite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        // C++ around LevelDB and RocksDB.
        .target(name: "PeerShims", dependencies: ["SystemLevelDB", "SystemRocksDB"]),
        .executableTarget(
            name: "ShaleBench",
            dependencies: [
                "PeerShims",
                "SystemZstd",
                "SystemLZ4",
                "SystemLevelDB",
                "SystemRocksDB",
                "SystemLMDB",
                "SystemSQLite",
                .product(name: "Shale", package: "Shale"),
                .product(name: "ShaleEngine", package: "Shale"),
                .product(name: "ShaleCollections", package: "Shale"),
                .product(name: "ShaleMaintenance", package: "Shale"),
                // Provides the documents for measuring dictionaries.
                .product(name: "_ShaleHotPaths", package: "Shale"),
                .product(name: "Formatting", package: "ShaleShared"),
                .product(name: "Pages", package: "ShaleShared"),
                .product(name: "Posix", package: "ShaleShared"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ],
            swiftSettings: settings + peerSettings, linkerSettings: peerLinking),
        .testTarget(name: "ShaleBenchTests", dependencies: ["ShaleBench"], swiftSettings: settings),
        .testTarget(
            name: "ReportTests",
            dependencies: ["ShaleBench", .product(name: "Formatting", package: "ShaleShared")],
            swiftSettings: settings),
    ],
    cxxLanguageStandard: .cxx17
)
