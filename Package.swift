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

/// A layer of the engine. Layers only ever depend downwards: see DESIGN.md, "Layers".
func layer(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// What only those build who ask for the trait `Encryption`.
func crypto(_ product: String) -> Target.Dependency {
    .product(name: product, package: "swift-crypto", condition: .when(traits: ["Encryption"]))
}

/// What only those build who ask for the trait `SQLite`.
let database = Target.Dependency.product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"]))

func tests(_ name: String, _ dependencies: Target.Dependency..., resources: [Resource] = []) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestSupport"], resources: resources, swiftSettings: settings)
}

let package = Package(
    name: "Shale",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Shale", targets: ["Shale"]),
        // Objects of NSSecureCoding classes; needs all of Foundation.
        .library(name: "ShaleArchive", targets: ["ShaleArchive"]),
        .library(name: "ShaleEngine", targets: ["ShaleEngine"]),
        // A store's files, read without opening it: for tools.
        .library(name: "ShaleInspection", targets: ["ShaleInspection"]),
        // What is done to a store as a whole: repair, copies, backups.
        .library(name: "ShaleMaintenance", targets: ["ShaleMaintenance"]),
        // Empty without the trait `Encryption`.
        .library(name: "ShaleEncryption", targets: ["ShaleEncryption"]),
        // Empty without the trait `Encryption`.
        .library(name: "ShaleVault", targets: ["ShaleVault"]),
        // Without the trait `Encryption` only the launch history.
        .library(name: "ShaleBoxes", targets: ["ShaleBoxes"]),
        .library(name: "ShaleConfiguration", targets: ["ShaleConfiguration"]),
        // With the trait `Encryption` also over a vault.
        .library(name: "ShaleNodes", targets: ["ShaleNodes"]),
        // Empty without the trait `SQLite`.
        .library(name: "ShaleSQLite", targets: ["ShaleSQLite"]),
        // Not API: what the gates and micro-benchmarks measure. ShaleEngine.docc, "Gates".
        .library(name: "_ShaleHotPaths", targets: ["_ShaleHotPaths"]),
        // Not API: what the fuzzers feed. ShaleEngine.docc, "Fuzzing".
        .library(name: "_ShaleFuzzing", targets: ["_ShaleFuzzing"]),
    ],
    traits: [
        .trait(name: "Encryption", description: "ShaleEncryption, with swift-crypto below it."),
        .trait(name: "SQLite", description: "ShaleSQLite, with GRDB and the system's SQLite below it."),
    ],
    dependencies: [
        // Neither resolved nor built without their traits, `Encryption` and `SQLite`: every use of them has the condition.
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .systemLibrary(
            name: "CLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
        .systemLibrary(name: "CLinux"),
        layer("ShaleBase"),
        layer("ShalePlatform", "ShaleBase", .target(name: "CLinux", condition: .when(platforms: [.linux]))),
        layer("ShaleSimulation", "ShaleBase", "ShalePlatform"),
        layer("ShaleLog", "ShaleBase", "ShalePlatform"),
        layer("ShaleMemtable", "ShaleBase", "ShalePlatform"),
        layer("ShaleSegment", "ShaleBase", "ShalePlatform", "CZstd", "CLZ4"),
        layer("ShaleManifest", "ShaleBase", "ShalePlatform", "ShaleLog", "ShaleSegment"),
        layer("ShaleCompaction", "ShaleBase", "ShalePlatform", "ShaleSegment", "ShaleManifest"),
        layer(
            "ShaleEngine", "ShaleBase", "ShalePlatform", "ShaleLog", "ShaleMemtable", "ShaleSegment", "ShaleManifest",
            "ShaleCompaction"),
        layer(
            "ShaleInspection", "ShaleBase", "ShalePlatform", "ShaleLog", "ShaleMemtable", "ShaleSegment",
            "ShaleManifest"),
        layer("Shale", "ShaleBase", "ShalePlatform", "ShaleEngine"),
        layer(
            "ShaleMaintenance", "ShaleBase", "ShalePlatform", "ShaleLog", "ShaleMemtable", "ShaleSegment",
            "ShaleManifest", "ShaleCompaction", "ShaleEngine", "Shale"),
        layer("ShaleArchive", "Shale", "ShaleBase", "ShalePlatform"),
        layer("ShaleSQLite", "ShaleArchive", "Shale", "ShaleBase", database),
        layer(
            "ShaleEncryption", "Shale", "ShaleBase", "ShalePlatform", crypto("Crypto"), crypto("CryptoExtras")),
        layer(
            "ShaleVault", "ShaleEncryption", "Shale", "ShaleBase", "ShalePlatform", "ShaleEngine", crypto("Crypto")),
        layer(
            "ShaleBoxes", "ShaleVault", "ShaleEncryption", "Shale", "ShaleBase", "ShalePlatform", "ShaleEngine"),
        layer("ShaleConfiguration", "ShaleArchive", "Shale", "ShaleBase", "ShalePlatform"),
        layer("ShaleNodes", "ShaleVault", "Shale", "ShaleBase", "ShalePlatform"),
        .target(
            name: "_ShaleHotPaths",
            dependencies: [
                "Shale", "ShaleBase", "ShalePlatform", "ShaleLog", "ShaleMemtable", "ShaleSegment", "ShaleEngine",
            ],
            path: "Sources/ShaleHotPaths", swiftSettings: settings),
        .target(
            name: "TestSupport", dependencies: ["ShaleBase", "ShalePlatform"], path: "Tests/Support",
            swiftSettings: settings),
        .target(
            name: "_ShaleFuzzing",
            dependencies: [
                "Shale", "ShaleBase", "ShalePlatform", "ShaleSimulation", "ShaleLog", "ShaleMemtable", "ShaleSegment",
                "ShaleManifest", "ShaleEngine", "ShaleArchive", "ShaleNodes", "ShaleMaintenance",
            ],
            path: "Sources/ShaleFuzzing", swiftSettings: settings),
        tests("BaseTests", "ShaleBase"),
        tests("PlatformTests", "ShaleBase", "ShalePlatform", "ShaleSimulation"),
        tests("LogTests", "ShaleBase", "ShalePlatform", "ShaleLog", "ShaleSimulation"),
        tests("MemtableTests", "ShaleBase", "ShalePlatform", "ShaleMemtable"),
        tests(
            "SegmentTests", "ShaleBase", "ShalePlatform", "ShaleSegment", "ShaleManifest", "ShaleSimulation",
            "_ShaleHotPaths"),
        tests(
            "ManifestTests", "ShaleBase", "ShalePlatform", "ShaleSegment", "ShaleManifest", "ShaleSimulation"),
        tests(
            "CompactionTests", "ShaleBase", "ShalePlatform", "ShaleSegment", "ShaleManifest", "ShaleCompaction",
            "ShaleSimulation", "_ShaleHotPaths"),
        tests(
            "EngineTests", "ShaleBase", "ShalePlatform", "ShaleSegment", "ShaleManifest", "ShaleSimulation",
            "ShaleEngine", "_ShaleHotPaths",
            resources: [.copy("Golden")]),
        tests(
            "MaintenanceTests", "ShaleMaintenance", "ShaleBase", "ShalePlatform", "ShaleManifest", "ShaleSegment",
            "ShaleSimulation", "ShaleEngine", "Shale"),
        // A program of its own, because what it starts is killed: `tools/test` runs it.
        .executableTarget(
            name: "kill-loop", dependencies: ["ShaleBase", "ShalePlatform", "ShaleEngine", "TestSupport"],
            path: "Tests/KillLoop",
            swiftSettings: settings),
        // A program of its own, because a scheduler runs its threads: `tools/schedules` builds it with SHALE_SCHEDULES.
        .executableTarget(
            name: "schedules",
            dependencies: ["ShaleBase", "ShalePlatform", "ShaleSimulation", "ShaleEngine", "TestSupport"],
            path: "Tests/Schedules",
            swiftSettings: settings),
        tests(
            "InspectionTests", "ShaleInspection", "ShaleBase", "ShalePlatform", "ShaleManifest", "ShaleEngine"),
        tests("ArchiveTests", "ShaleArchive", "Shale", "ShaleBase", "ShalePlatform", "ShaleSimulation"),
        tests("SQLiteTests", "ShaleSQLite", "ShaleArchive", "Shale", "ShaleBase", database),
        tests("ShaleTests", "Shale", "ShaleBase", "ShaleEngine", "ShalePlatform", "ShaleSimulation"),
        tests(
            "ShaleEncryptionTests", "ShaleEncryption", "Shale", "ShaleBase", "ShaleEngine", "ShaleManifest",
            "ShaleSegment", "ShalePlatform", "ShaleSimulation", "_ShaleHotPaths", crypto("Crypto")),
        tests(
            "VaultTests", "ShaleVault", "ShaleEncryption", "Shale", "ShaleBase", "ShaleEngine", "ShalePlatform",
            "ShaleSimulation"),
        tests(
            "BoxTests", "ShaleBoxes", "ShaleVault", "ShaleEncryption", "Shale", "ShaleBase", "ShaleEngine",
            "ShalePlatform", "ShaleSimulation"),
        tests("ConfigurationTests", "ShaleConfiguration", "Shale"),
        tests(
            "NodeTests", "ShaleNodes", "ShaleVault", "ShaleEncryption", "Shale", "ShaleBase", "ShaleEngine",
            "ShalePlatform", "ShaleSimulation"),
        // Compiles and runs every sample of README.md and of the articles.
        tests(
            "DocumentationTests", "Shale", "ShaleInspection", "ShaleArchive", "ShaleEncryption", "ShaleVault",
            "ShaleBoxes",
            "ShaleConfiguration", "ShaleNodes", "ShaleSQLite", database),
        tests("FuzzTests", "_ShaleFuzzing", resources: [.copy("Corpus")]),
    ]
)
