// swift-tools-version: 6.2
import PackageDescription

/// In debug builds threads record what they wait for: ShaleEngine.docc, "Tests". Builds for the thread sanitizer do
/// without, because the records order threads that nothing else orders, and so hide races.
let waits: [SwiftSetting] =
    Context.environment["SHALE_WITHOUT_WAITS"] == nil ? [.define("SHALE_WAITS", .when(configuration: .debug))] : []

let settings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .strictMemorySafety(),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableExperimentalFeature("Lifetimes"),
    ] + waits

/// A module in Sources. Modules only ever depend on modules below them: see Sources/README.md.
func module(_ name: String, in folder: String, _ dependencies: Target.Dependency...) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/" + folder, swiftSettings: settings)
}

/// What only those build who ask for the trait `Encryption`.
func crypto(_ product: String) -> Target.Dependency {
    .product(name: product, package: "swift-crypto", condition: .when(traits: ["Encryption"]))
}

/// What only those build who ask for the trait `SQLite`.
let database = Target.Dependency.product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"]))

/// Tests of the module in the same folder of Sources.
func tests(
    _ name: String, in folder: String, _ dependencies: Target.Dependency..., resources: [Resource] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestSupport"], path: "Tests/" + folder, resources: resources,
        swiftSettings: settings)
}

/// A system library that the engine calls.
func system(_ name: String, pkgConfig: String? = nil, apt: String? = nil, brew: String? = nil) -> Target {
    .systemLibrary(
        name: name, path: "Sources/System/" + name, pkgConfig: pkgConfig,
        providers: apt.flatMap { apt in brew.map { [.apt([apt]), .brew([$0])] } })
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
        // SwiftPM resolves and builds these only with the traits `Encryption` and `SQLite`: every product from them has
        // the condition.
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        system("CZstd", pkgConfig: "libzstd", apt: "libzstd-dev", brew: "zstd"),
        system("CLZ4", pkgConfig: "liblz4", apt: "liblz4-dev", brew: "lz4"),
        system("CLinux"),
        module("ShaleBase", in: "Engine/Base"),
        module(
            "ShalePlatform", in: "Engine/Platform", "ShaleBase",
            .target(name: "CLinux", condition: .when(platforms: [.linux]))),
        module("ShaleSimulation", in: "Testing/Simulation", "ShaleBase", "ShalePlatform"),
        module("ShaleLog", in: "Engine/Log", "ShaleBase", "ShalePlatform"),
        module("ShaleMemtable", in: "Engine/Memtable", "ShaleBase", "ShalePlatform"),
        module("ShaleSegment", in: "Engine/Segment", "ShaleBase", "ShalePlatform", "CZstd", "CLZ4"),
        module("ShaleManifest", in: "Engine/Manifest", "ShaleBase", "ShalePlatform", "ShaleLog", "ShaleSegment"),
        module(
            "ShaleCompaction", in: "Engine/Compaction", "ShaleBase", "ShalePlatform", "ShaleSegment", "ShaleManifest"),
        module(
            "ShaleEngine", in: "Engine/Core", "ShaleBase", "ShalePlatform", "ShaleLog", "ShaleMemtable", "ShaleSegment",
            "ShaleManifest",
            "ShaleCompaction"),
        module(
            "ShaleInspection", in: "Engine/Inspection", "ShaleBase", "ShalePlatform", "ShaleLog", "ShaleMemtable",
            "ShaleSegment",
            "ShaleManifest"),
        module("Shale", in: "Store", "ShaleBase", "ShalePlatform", "ShaleEngine"),
        module(
            "ShaleMaintenance", in: "Maintenance", "ShaleBase", "ShalePlatform", "ShaleLog", "ShaleMemtable",
            "ShaleSegment",
            "ShaleManifest", "ShaleCompaction", "ShaleEngine", "Shale"),
        module("ShaleArchive", in: "Kit/Archive", "Shale", "ShaleBase", "ShalePlatform"),
        module("ShaleSQLite", in: "Kit/SQLite", "ShaleArchive", "Shale", "ShaleBase", database),
        module(
            "ShaleEncryption", in: "Kit/Encryption", "Shale", "ShaleBase", "ShalePlatform", crypto("Crypto"),
            crypto("CryptoExtras")),
        module(
            "ShaleVault", in: "Kit/Vault", "ShaleEncryption", "Shale", "ShaleBase", "ShalePlatform", "ShaleEngine",
            crypto("Crypto")),
        module(
            "ShaleBoxes", in: "Kit/Boxes", "ShaleVault", "ShaleEncryption", "Shale", "ShaleBase", "ShalePlatform",
            "ShaleEngine"),
        module("ShaleConfiguration", in: "Kit/Configuration", "ShaleArchive", "Shale", "ShaleBase", "ShalePlatform"),
        module("ShaleNodes", in: "Kit/Nodes", "ShaleVault", "Shale", "ShaleBase", "ShalePlatform"),
        .target(
            name: "_ShaleHotPaths",
            dependencies: [
                "Shale", "ShaleBase", "ShalePlatform", "ShaleLog", "ShaleMemtable", "ShaleSegment", "ShaleEngine",
            ],
            path: "Sources/Testing/HotPaths", swiftSettings: settings),
        .target(
            name: "TestSupport", dependencies: ["ShaleBase", "ShalePlatform"], path: "Tests/Testing/Support",
            swiftSettings: settings),
        .target(
            name: "_ShaleFuzzing",
            dependencies: [
                "Shale", "ShaleBase", "ShalePlatform", "ShaleSimulation", "ShaleLog", "ShaleMemtable", "ShaleSegment",
                "ShaleManifest", "ShaleEngine", "ShaleArchive", "ShaleNodes", "ShaleMaintenance",
            ],
            path: "Sources/Testing/Fuzzing", swiftSettings: settings),
        tests("BaseTests", in: "Engine/Base", "ShaleBase"),
        tests("PlatformTests", in: "Engine/Platform", "ShaleBase", "ShalePlatform", "ShaleSimulation"),
        tests("LogTests", in: "Engine/Log", "ShaleBase", "ShalePlatform", "ShaleLog", "ShaleSimulation"),
        tests("MemtableTests", in: "Engine/Memtable", "ShaleBase", "ShalePlatform", "ShaleMemtable"),
        tests(
            "SegmentTests", in: "Engine/Segment", "ShaleBase", "ShalePlatform", "ShaleSegment", "ShaleManifest",
            "ShaleSimulation",
            "_ShaleHotPaths"),
        tests(
            "ManifestTests", in: "Engine/Manifest", "ShaleBase", "ShalePlatform", "ShaleSegment", "ShaleManifest",
            "ShaleSimulation"),
        tests(
            "CompactionTests", in: "Engine/Compaction", "ShaleBase", "ShalePlatform", "ShaleSegment", "ShaleManifest",
            "ShaleCompaction",
            "ShaleSimulation", "_ShaleHotPaths"),
        tests(
            "EngineTests", in: "Engine/Core", "ShaleBase", "ShalePlatform", "ShaleSegment", "ShaleManifest",
            "ShaleSimulation",
            "ShaleEngine", "_ShaleHotPaths",
            resources: [.copy("Golden")]),
        tests(
            "MaintenanceTests", in: "Maintenance", "ShaleMaintenance", "ShaleBase", "ShalePlatform", "ShaleManifest",
            "ShaleSegment",
            "ShaleSimulation", "ShaleEngine", "Shale"),
        // A program of its own, because what it starts is killed: `tools/test` runs it.
        .executableTarget(
            name: "kill-loop", dependencies: ["ShaleBase", "ShalePlatform", "ShaleEngine", "TestSupport"],
            path: "Tests/Testing/KillLoop",
            swiftSettings: settings),
        // A program of its own, because a scheduler runs its threads: `tools/schedules` builds it with SHALE_SCHEDULES.
        .executableTarget(
            name: "schedules",
            dependencies: [
                "ShaleBase", "ShalePlatform", "ShaleSimulation", "ShaleEngine", "ShaleMaintenance", "TestSupport",
            ],
            path: "Tests/Testing/Schedules",
            swiftSettings: settings),
        tests(
            "InspectionTests", in: "Engine/Inspection", "ShaleInspection", "ShaleBase", "ShalePlatform",
            "ShaleManifest", "ShaleEngine"),
        tests(
            "ArchiveTests", in: "Kit/Archive", "ShaleArchive", "Shale", "ShaleBase", "ShalePlatform",
            "ShaleSimulation"),
        tests("SQLiteTests", in: "Kit/SQLite", "ShaleSQLite", "ShaleArchive", "Shale", "ShaleBase", database),
        tests("ShaleTests", in: "Store", "Shale", "ShaleBase", "ShaleEngine", "ShalePlatform", "ShaleSimulation"),
        tests(
            "ShaleEncryptionTests", in: "Kit/Encryption", "ShaleEncryption", "Shale", "ShaleBase", "ShaleEngine",
            "ShaleManifest",
            "ShaleSegment", "ShalePlatform", "ShaleSimulation", "_ShaleHotPaths", crypto("Crypto")),
        tests(
            "VaultTests", in: "Kit/Vault", "ShaleVault", "ShaleEncryption", "Shale", "ShaleBase", "ShaleEngine",
            "ShalePlatform",
            "ShaleSimulation"),
        tests(
            "BoxTests", in: "Kit/Boxes", "ShaleBoxes", "ShaleVault", "ShaleEncryption", "Shale", "ShaleBase",
            "ShaleEngine",
            "ShalePlatform", "ShaleSimulation"),
        tests("ConfigurationTests", in: "Kit/Configuration", "ShaleConfiguration", "Shale"),
        tests(
            "NodeTests", in: "Kit/Nodes", "ShaleNodes", "ShaleVault", "ShaleEncryption", "Shale", "ShaleBase",
            "ShaleEngine",
            "ShalePlatform", "ShaleSimulation"),
        // Compiles and runs every sample of README.md and of the articles.
        tests(
            "DocumentationTests", in: "Documentation", "Shale", "ShaleInspection", "ShaleArchive", "ShaleEncryption",
            "ShaleVault",
            "ShaleBoxes",
            "ShaleConfiguration", "ShaleNodes", "ShaleSQLite", database),
        tests("FuzzTests", in: "Testing/Fuzzing", "_ShaleFuzzing", resources: [.copy("Corpus")]),
    ]
)
