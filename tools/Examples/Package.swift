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
        example("encrypted-store", "Shale", "ShaleEncryption"),
        example("user-defaults-migration", "ShaleArchive"),
        // The examples in the documents of the systems that this kit replaces.
        example("two-user-session", "ShaleBoxes", "ShaleConfiguration"),
        example("preferences", "ShaleArchive", "ShaleEncryption"),
        example("storage-nodes", "ShaleNodes"),
        example("typed-collection", "Shale"),
        example("model-archive", "ShaleArchive"),
    ]
)
