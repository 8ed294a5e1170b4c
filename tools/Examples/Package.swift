// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// An example: a program of one file that checks the behaviour it shows, and exits with 1 if a check fails.
func example(_ name: String, _ products: String...) -> Target {
    .executableTarget(
        name: name,
        dependencies: ["ExampleSupport"] + products.map { .product(name: $0, package: "Shale") },
        swiftSettings: settings)
}

/// Modules with the names of frameworks that users of Shale import into the same files, and with names of the raw
/// engine that only ShaleEngine brings.
let stubs = [
    "StubCombine", "StubConfiguration", "StubEngineNames", "StubGRDB", "StubStoreKit", "StubSwiftUI",
]

/// Every product that an application can import.
let products = [
    "Shale", "ShaleCollections", "ShaleEncryption", "ShaleEngine", "ShaleFoundation", "ShaleKit", "ShaleMaintenance",
]

// A separate package that uses the library from outside, as an application does.
let package = Package(
    name: "ShaleExamples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Shale", path: "../..", traits: ["Encryption"])],
    targets: [
        .target(name: "ExampleSupport", swiftSettings: settings),
        example("settings", "Shale"),
        example("session-cache", "Shale"),
        example("job-queue", "Shale"),
        example("image-cache", "Shale"),
        example("address-book", "ShaleCollections"),
        example("encrypted-store", "Shale", "ShaleEncryption"),
        example("user-defaults-migration", "ShaleFoundation"),
        // Error handling as users write it: every form has to compile.
        example("idioms", "Shale"),
        // The examples in the documents of the systems that this kit replaces.
        example("two-user-session", "ShaleKit", "ShaleFoundation"),
        example("preferences", "ShaleFoundation", "ShaleEncryption"),
        example("storage-nodes", "ShaleKit"),
        example("typed-collection", "ShaleCollections"),
        example("two-devices", "ShaleSync", "ShaleSyncServer"),
        example("model-archive", "ShaleFoundation"),
        // Every product beside frameworks with names of their own.
        .executableTarget(
            name: "shared-names",
            dependencies: ["ExampleSupport"] + stubs.map { .target(name: $0) }
                + products.map { .product(name: $0, package: "Shale") },
            swiftSettings: settings),
    ] + stubs.map { .target(name: $0, path: "Stubs/" + $0, swiftSettings: settings) }
)
