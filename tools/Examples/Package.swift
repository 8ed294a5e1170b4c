// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A program of one file that checks what it shows, and ends with 1 if anything is otherwise.
func example(_ name: String, _ products: String...) -> Target {
    .executableTarget(
        name: name,
        dependencies: ["ExampleSupport"] + products.map { .product(name: $0, package: "Shale") },
        swiftSettings: settings)
}

// A package of its own, as an application has one: it uses the library from outside.
let package = Package(
    name: "ShaleExamples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Shale", path: "../..", traits: ["Encryption"])],
    targets: [
        .target(name: "ExampleSupport", swiftSettings: settings),
        example("settings", "Shale"),
        example("session-cache", "Shale"),
        example("job-queue", "Shale"),
        example("encrypted-store", "Shale", "ShaleEncryption"),
        example("user-defaults-migration", "ShaleArchive"),
        // What the systems that this kit replaces show in their own documents.
        example("two-user-session", "ShaleBoxes", "ShaleConfiguration"),
        example("preferences", "ShaleArchive", "ShaleEncryption"),
        example("storage-nodes", "ShaleNodes"),
        example("typed-collection", "Shale"),
        example("model-archive", "ShaleArchive"),
    ]
)
