// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "ShaleClusterBench",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Shale", path: "../..", traits: ["RADOS"])],
    targets: [
        // The same operations over librados alone, in C.
        .target(name: "BareRados", linkerSettings: [.linkedLibrary("rados")]),
        .executableTarget(
            name: "shale-cluster-bench",
            dependencies: ["BareRados", .product(name: "ShaleCluster", package: "Shale")],
            swiftSettings: [
                .swiftLanguageMode(.v6), .strictMemorySafety(), .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
            ]),
    ]
)
