// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// The code that the command, the gates and the benchmarks share. Not API.
let package = Package(
    name: "ShaleShared",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Formatting", targets: ["Formatting"]),
        .library(name: "Pages", targets: ["Pages"]),
        .library(name: "Posix", targets: ["Posix"]),
    ],
    targets: [
        // Numbers, columns and CSV as text.
        .target(name: "Formatting", swiftSettings: settings),
        // HTML pages with drawings.
        .target(name: "Pages", dependencies: ["Formatting"], swiftSettings: settings),
        // The C library, and child processes, descriptors and directories on it.
        .target(name: "Posix", swiftSettings: settings),
    ]
)
