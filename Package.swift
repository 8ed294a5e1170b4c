// swift-tools-version: 6.2
import PackageDescription

/// With SHALE_TESTS a release build suits tests: the library is optimized and keeps its assertions, and the tests,
/// which would take longer to optimize than to run, are not optimized. Never set it for another purpose: packages with
/// unsafe flags can't be dependencies.
let isForTests = Context.environment["SHALE_TESTS"] != nil

/// In debug builds and builds for tests threads record what they wait for: ShaleEngine.docc, "Tests". Builds for the
/// thread sanitizer do without, because the records order threads that nothing else orders, and so hide races.
let waits: [SwiftSetting] =
    Context.environment["SHALE_WITHOUT_WAITS"] != nil
    ? [] : [isForTests ? .define("SHALE_WAITS") : .define("SHALE_WAITS", .when(configuration: .debug))]

let settings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .strictMemorySafety(),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableExperimentalFeature("Lifetimes"),
    ] + waits

/// SHALE_ADAPTERS: the transport over URLSession is built on Linux too, for its tests (tools/Examples/http-loopback).
/// SHALE_WHOLE_EXPORTS: see Exports.swift of ShaleEngine. `tools/docs` reads the modules of this build.
let librarySettings =
    settings
    + (isForTests
        ? [.define("SHALE_WHOLE_EXPORTS"), .unsafeFlags(["-enable-testing", "-assert-config", "Debug"])] : [])
    + (Context.environment["SHALE_ADAPTERS"] != nil ? [.define("SHALE_ADAPTERS")] : [])
let testSettings =
    settings
    + (isForTests ? [.unsafeFlags(["-Onone", "-no-whole-module-optimization", "-enable-batch-mode"])] : [])

/// The privacy manifest for Apple platforms: ShalePlatform makes the calls that it declares, and every product contains
/// ShalePlatform. Elsewhere the manifest is left out, because the code that SwiftPM generates for a resource imports
/// Foundation.
#if canImport(Darwin)
    let privacyManifest: [Resource] = [.copy("PrivacyInfo.xcprivacy")]
    let withoutPrivacyManifest: [String] = []
#else
    let privacyManifest: [Resource] = []
    let withoutPrivacyManifest = ["PrivacyInfo.xcprivacy"]
#endif

/// A module in Sources. Modules only ever depend on modules below them: see Sources/README.md.
func module(
    _ name: String, in folder: String, _ dependencies: Target.Dependency..., excluding excluded: [String] = [],
    resources: [Resource]? = nil
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/" + folder, exclude: excluded, resources: resources,
        swiftSettings: librarySettings)
}

/// What only those build who ask for the trait `Encryption`.
func crypto(_ product: String) -> Target.Dependency {
    .product(name: product, package: "swift-crypto", condition: .when(traits: ["Encryption"]))
}

/// A product that is built only with the trait of ShaleObservability named `trait`.
func observability(_ product: String, _ package: String, _ trait: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: [trait]))
}

/// A product that is built only with the trait `HTTP`.
func http(_ product: String, _ package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["HTTP"]))
}

/// A product that is built only with the trait `AsyncHTTPClient`.
func client(_ product: String, _ package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["AsyncHTTPClient"]))
}

/// What only those build who ask for the trait `SQLite`.
let database = Target.Dependency.product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"]))

/// Tests of a module of Sources, or of a part of one, in a folder of the same name.
func tests(
    _ name: String, in folder: String, _ dependencies: Target.Dependency..., resources: [Resource] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestSupport"], path: "Tests/" + folder, resources: resources,
        swiftSettings: testSettings)
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
        // Objects of NSSecureCoding classes, importers, configurations; needs all of Foundation.
        .library(name: "ShaleFoundation", targets: ["ShaleFoundation"]),
        // Ciphers, key sources and the vault. Empty without the trait `Encryption`.
        .library(name: "ShaleEncryption", targets: ["ShaleEncryption"]),
        // The data of an application: stored properties, observable values, storage nodes, the launch history. With
        // the trait `Encryption` also boxes over a vault.
        .library(name: "ShaleKit", targets: ["ShaleKit"]),
        // Typed collections of records with indexes, constraints and queries.
        .library(name: "ShaleCollections", targets: ["ShaleCollections"]),
        // Keeps collections in step with a server. The transport over HTTP comes with the trait `HTTP`.
        .library(name: "ShaleSync", targets: ["ShaleSync"]),
        // The server's side of the synchronisation, without a network.
        .library(name: "ShaleSyncServer", targets: ["ShaleSyncServer"]),
        // Namespaces on a RADOS cluster. Only the trait `RADOS` connects to one.
        .library(name: "ShaleCluster", targets: ["ShaleCluster"]),
        // Empty without the trait `SQLite`.
        .library(name: "ShaleSQLite", targets: ["ShaleSQLite"]),
        // An HTTP cache and a registry of endpoints. Empty without the trait `HTTP`.
        .library(name: "ShaleHTTP", targets: ["ShaleHTTP"]),
        // Log lines, metrics, spans and a service. Empty without the traits `Logging`, `Metrics`, `Tracing` and
        // `ServiceLifecycle`, each of which adds its part.
        .library(name: "ShaleObservability", targets: ["ShaleObservability"]),
        // For tools: repair, copies and backups of a whole store, and its files read without opening it.
        .library(name: "ShaleMaintenance", targets: ["ShaleMaintenance", "ShaleInspection"]),
        .library(name: "ShaleEngine", targets: ["ShaleEngine"]),
        // Not API: what the gates and micro-benchmarks measure. ShaleEngine.docc, "Gates".
        .library(name: "_ShaleHotPaths", targets: ["_ShaleHotPaths"]),
        // Not API: what the fuzzers feed. ShaleEngine.docc, "Fuzzing".
        .library(name: "_ShaleFuzzing", targets: ["_ShaleFuzzing"]),
    ],
    traits: [
        .trait(name: "Encryption", description: "ShaleEncryption and boxes of ShaleKit, with swift-crypto below them."),
        .trait(name: "SQLite", description: "ShaleSQLite, with GRDB and the system's SQLite below it."),
        .trait(
            name: "HTTP", description: "ShaleHTTP, with swift-http-types and swift-http-structured-headers below it."),
        .trait(
            name: "AsyncHTTPClient", description: "The transport of ShaleHTTP over async-http-client.",
            enabledTraits: ["HTTP"]),
        .trait(name: "Logging", description: "Log lines of ShaleObservability, with swift-log below it."),
        .trait(name: "Metrics", description: "Metrics of ShaleObservability, with swift-metrics below it."),
        .trait(name: "Tracing", description: "Spans of ShaleObservability, with swift-distributed-tracing below it."),
        .trait(
            name: "ServiceLifecycle",
            description: "The service of ShaleObservability, with swift-service-lifecycle below it."),
        .trait(name: "RADOS", description: "Connections of ShaleCluster, with the system's librados below it."),
    ],
    dependencies: [
        // SwiftPM resolves and builds each of these only with its trait: every product from them has the condition.
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-http-structured-headers.git", from: "1.7.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ],
    targets: [
        system("CZstd", pkgConfig: "libzstd", apt: "libzstd-dev", brew: "zstd"),
        system("CLZ4", pkgConfig: "liblz4", apt: "liblz4-dev", brew: "lz4"),
        system("CLinux"),
        // Debian's librados-dev (`apt install librados-dev`) has no file for pkg-config.
        system("CRados"),
        module("ShaleBase", in: "Engine/Base"),
        module(
            "ShalePlatform", in: "Engine/Platform", "ShaleBase",
            .target(name: "CLinux", condition: .when(platforms: [.linux])),
            excluding: withoutPrivacyManifest, resources: privacyManifest),
        module("ShaleSimulation", in: "Testing/Simulation", "ShaleBase", "ShalePlatform"),
        module("ShaleLog", in: "Engine/Log", "ShaleBase", "ShalePlatform"),
        module("ShaleMemtable", in: "Engine/Memtable", "ShaleBase", "ShalePlatform"),
        module("ShaleValues", in: "Engine/Values", "ShaleBase", "ShalePlatform"),
        module(
            "ShaleSegment", in: "Engine/Segment", "ShaleBase", "ShalePlatform", "ShaleValues", "CZstd", "CLZ4"),
        module("ShaleManifest", in: "Engine/Manifest", "ShaleBase", "ShalePlatform", "ShaleLog", "ShaleSegment"),
        module(
            "ShaleCompaction", in: "Engine/Compaction", "ShaleBase", "ShalePlatform", "ShaleValues", "ShaleSegment",
            "ShaleManifest"),
        module(
            "ShaleEngine", in: "Engine/Core", "ShaleBase", "ShalePlatform", "ShaleLog", "ShaleMemtable", "ShaleValues",
            "ShaleSegment", "ShaleManifest", "ShaleCompaction"),
        module(
            "ShaleInspection", in: "Engine/Inspection", "ShaleBase", "ShalePlatform", "ShaleLog", "ShaleMemtable",
            "ShaleValues", "ShaleSegment", "ShaleManifest"),
        module("Shale", in: "Store", "ShaleBase", "ShalePlatform", "ShaleEngine"),
        module(
            "ShaleMaintenance", in: "Maintenance", "ShaleBase", "ShalePlatform", "ShaleLog", "ShaleMemtable",
            "ShaleValues", "ShaleSegment", "ShaleManifest", "ShaleCompaction", "ShaleEngine", "Shale"),
        module("ShaleFoundation", in: "Kit/Foundation", "Shale", "ShaleBase", "ShalePlatform"),
        module("ShaleCollections", in: "Kit/Collections", "Shale", "ShaleBase", "ShalePlatform", "ShaleEngine"),
        module(
            "ShaleSync", in: "Kit/Sync", "ShaleCollections", "ShaleHTTP", "Shale", "ShaleBase", "ShalePlatform",
            http("HTTPTypes", "swift-http-types")),
        module(
            "ShaleCluster", in: "Kit/Cluster", "Shale", "ShaleBase", "ShalePlatform", "ShaleEngine",
            .target(name: "CRados", condition: .when(traits: ["RADOS"]))),
        module("ShaleSyncServer", in: "Kit/SyncServer", "ShaleSync", "Shale", "ShaleBase", "ShalePlatform"),
        module("ShaleSQLite", in: "Kit/SQLite", "ShaleFoundation", "ShaleCollections", "Shale", "ShaleBase", database),
        module(
            "ShaleHTTP", in: "Kit/HTTP", "Shale", "ShaleBase", "ShalePlatform", http("HTTPTypes", "swift-http-types"),
            http("RawStructuredFieldValues", "swift-http-structured-headers"),
            client("AsyncHTTPClient", "async-http-client"), client("NIOCore", "swift-nio"),
            client("NIOHTTP1", "swift-nio")),
        module(
            "ShaleEncryption", in: "Kit/Encryption", "Shale", "ShaleBase", "ShalePlatform", "ShaleEngine",
            crypto("Crypto"), crypto("CryptoExtras")),
        module(
            "ShaleKit", in: "Kit/Application", "ShaleEncryption", "Shale", "ShaleBase", "ShalePlatform", "ShaleEngine"),
        module(
            "ShaleObservability", in: "Kit/Observability", "Shale", "ShaleBase", "ShalePlatform", "ShaleEngine",
            observability("Logging", "swift-log", "Logging"),
            observability("CoreMetrics", "swift-metrics", "Metrics"),
            observability("Tracing", "swift-distributed-tracing", "Tracing"),
            observability("ServiceLifecycle", "swift-service-lifecycle", "ServiceLifecycle")),
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
                "Shale", "ShaleBase", "ShalePlatform", "ShaleSimulation", "ShaleLog", "ShaleMemtable", "ShaleValues",
                "ShaleSegment", "ShaleManifest", "ShaleEngine", "ShaleFoundation", "ShaleCollections", "ShaleKit",
                "ShaleMaintenance",
                "ShaleHTTP", http("HTTPTypes", "swift-http-types"), "ShaleSync", "ShaleSyncServer",
            ],
            path: "Sources/Testing/Fuzzing", swiftSettings: settings),
        tests("BaseTests", in: "Engine/Base", "ShaleBase"),
        tests("PlatformTests", in: "Engine/Platform", "ShaleBase", "ShalePlatform", "ShaleSimulation"),
        tests("LogTests", in: "Engine/Log", "ShaleBase", "ShalePlatform", "ShaleLog", "ShaleSimulation"),
        tests("MemtableTests", in: "Engine/Memtable", "ShaleBase", "ShalePlatform", "ShaleMemtable"),
        tests("ValueTests", in: "Engine/Values", "ShaleBase", "ShalePlatform", "ShaleValues", "ShaleSimulation"),
        tests(
            "SegmentTests", in: "Engine/Segment", "ShaleBase", "ShalePlatform", "ShaleValues", "ShaleSegment",
            "ShaleManifest", "ShaleSimulation", "_ShaleHotPaths"),
        tests(
            "ManifestTests", in: "Engine/Manifest", "ShaleBase", "ShalePlatform", "ShaleSegment", "ShaleManifest",
            "ShaleSimulation"),
        tests(
            "CompactionTests", in: "Engine/Compaction", "ShaleBase", "ShalePlatform", "ShaleSegment", "ShaleManifest",
            "ShaleCompaction", "ShaleSimulation", "_ShaleHotPaths"),
        tests(
            "EngineTests", in: "Engine/Core", "ShaleBase", "ShalePlatform", "ShaleValues", "ShaleSegment",
            "ShaleManifest", "ShaleSimulation", "ShaleEngine", "_ShaleHotPaths", resources: [.copy("Golden")]),
        tests(
            "MaintenanceTests", in: "Maintenance", "ShaleMaintenance", "ShaleBase", "ShalePlatform", "ShaleLog",
            "ShaleManifest", "ShaleSegment", "ShaleSimulation", "ShaleEngine", "Shale"),
        // A program of its own, because what it starts is killed: `tools/test` runs it.
        .executableTarget(
            name: "kill-loop", dependencies: ["ShaleBase", "ShalePlatform", "ShaleEngine", "TestSupport"],
            path: "Tests/Testing/KillLoop", swiftSettings: settings),
        // A program of its own, because the clients that it starts are killed: `tools/test` runs it.
        .executableTarget(
            name: "cluster-trial", dependencies: ["ShaleCluster", "ShaleBase", "ShalePlatform", "TestSupport"],
            path: "Tests/Testing/ClusterTrial", swiftSettings: settings),
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
            "ArchiveTests", in: "Kit/Archive", "ShaleFoundation", "Shale", "ShaleBase", "ShalePlatform",
            "ShaleSimulation"),
        tests(
            "SQLiteTests", in: "Kit/SQLite", "ShaleSQLite", "ShaleFoundation", "ShaleCollections", "Shale", "ShaleBase",
            database),
        tests("ShaleTests", in: "Store", "Shale", "ShaleBase", "ShaleEngine", "ShalePlatform", "ShaleSimulation"),
        tests(
            "ShaleEncryptionTests", in: "Kit/Encryption", "ShaleEncryption", "Shale", "ShaleBase", "ShaleEngine",
            "ShaleManifest", "ShaleSegment", "ShalePlatform", "ShaleSimulation", "_ShaleHotPaths", crypto("Crypto")),
        tests(
            "VaultTests", in: "Kit/Vault", "ShaleEncryption", "Shale", "ShaleBase", "ShaleEngine", "ShalePlatform",
            "ShaleSimulation"),
        tests(
            "BoxTests", in: "Kit/Boxes", "ShaleKit", "ShaleEncryption", "Shale", "ShaleBase", "ShaleEngine",
            "ShalePlatform", "ShaleSimulation"),
        tests(
            "PropertyTests", in: "Kit/Properties", "ShaleKit", "Shale", "ShaleEngine", "ShalePlatform",
            "ShaleSimulation"),
        // Optimized: most of a history's time would be that of the model.
        .target(
            name: "CollectionModel",
            dependencies: [
                "ShaleCollections", "Shale", "ShaleBase", "ShaleEngine", "ShalePlatform", "ShaleSimulation",
            ],
            path: "Tests/Kit/CollectionModel", swiftSettings: settings),
        tests(
            "CollectionTests", in: "Kit/Collections", "CollectionModel", "ShaleCollections", "ShaleEncryption",
            "ShaleMaintenance", "Shale", "ShaleBase", "ShaleEngine", "ShalePlatform", "ShaleSimulation"),
        tests(
            "HTTPTests", in: "Kit/HTTP", "ShaleHTTP", "Shale", "ShaleBase", "ShaleEngine", "ShalePlatform",
            "ShaleSimulation", http("HTTPTypes", "swift-http-types")),
        // Optimized: a history opens five stores.
        .target(
            name: "SyncModel",
            dependencies: [
                "ShaleSync", "ShaleSyncServer", "ShaleCollections", "Shale", "ShaleBase", "ShaleEngine",
                "ShalePlatform", "ShaleSimulation",
            ],
            path: "Tests/Kit/SyncModel", swiftSettings: settings),
        tests(
            "SyncTests", in: "Kit/Sync", "SyncModel", "ShaleSync", "ShaleSyncServer", "ShaleCollections", "Shale",
            "ShaleEncryption", "ShaleHTTP", "ShaleBase", "ShaleEngine", "ShalePlatform", "ShaleSimulation",
            http("HTTPTypes", "swift-http-types")),
        tests(
            "ClusterTests", in: "Kit/Cluster", "ShaleCluster", "Shale", "ShaleBase", "ShaleEngine", "ShalePlatform"),
        tests("ConfigurationTests", in: "Kit/Configuration", "ShaleFoundation", "Shale"),
        tests(
            "NodeTests", in: "Kit/Nodes", "ShaleKit", "ShaleEncryption", "Shale", "ShaleBase", "ShaleEngine",
            "ShalePlatform", "ShaleSimulation"),
        tests(
            "ObservabilityTests", in: "Kit/Observability", "ShaleObservability", "Shale", "ShaleBase", "ShalePlatform",
            "ShaleEngine", "ShaleSimulation",
            observability("Logging", "swift-log", "Logging"),
            observability("InMemoryLogging", "swift-log", "Logging"),
            observability("CoreMetrics", "swift-metrics", "Metrics"),
            observability("MetricsTestKit", "swift-metrics", "Metrics"),
            observability("Tracing", "swift-distributed-tracing", "Tracing"),
            observability("InMemoryTracing", "swift-distributed-tracing", "Tracing"),
            observability("ServiceLifecycle", "swift-service-lifecycle", "ServiceLifecycle")),
        // Compiles and runs every sample of README.md and of the articles.
        tests(
            "DocumentationTests", in: "Documentation", "Shale", "ShaleInspection", "ShaleMaintenance",
            "ShaleFoundation", "ShaleCollections",
            "ShaleEncryption", "ShaleKit", "ShaleSQLite", database, "ShaleHTTP",
            http("HTTPTypes", "swift-http-types"), "ShaleSync", "ShaleSyncServer", "ShaleCluster", "ShaleObservability",
            observability("Logging", "swift-log", "Logging"),
            observability("CoreMetrics", "swift-metrics", "Metrics"),
            observability("Tracing", "swift-distributed-tracing", "Tracing"),
            observability("ServiceLifecycle", "swift-service-lifecycle", "ServiceLifecycle"),
            observability("UnixSignals", "swift-service-lifecycle", "ServiceLifecycle")),
        tests("FuzzTests", in: "Testing/Fuzzing", "_ShaleFuzzing", resources: [.copy("Corpus")]),
    ]
)
