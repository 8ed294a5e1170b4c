// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
]

// The server of a synchronisation over HTTP. A package of its own, so that no user of the library resolves a web
// framework.
let package = Package(
    name: "ShaleSyncServerHTTP",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "SyncServerHTTP", targets: ["SyncServerHTTP"]),
        .executable(name: "shale-sync-server", targets: ["shale-sync-server"]),
        .executable(name: "sync-trial", targets: ["sync-trial"]),
    ],
    dependencies: [
        // The client's transport is for the tests and the trial. It has the server's packages and few of its own.
        .package(name: "Shale", path: "../..", traits: ["AsyncHTTPClient", "Logging", "ServiceLifecycle"]),
        .package(name: "ShaleShared", path: "../Shared"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.0", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "SyncServerHTTP",
            dependencies: [
                .product(name: "ShaleSyncServer", package: "Shale"),
                .product(name: "ShaleObservability", package: "Shale"),
                .product(name: "Posix", package: "ShaleShared"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            resources: [.embedInCode("openapi.json")], swiftSettings: settings),
        .executableTarget(
            name: "shale-sync-server",
            dependencies: [
                "SyncServerHTTP",
                .product(name: "ShaleSyncServer", package: "Shale"),
                .product(name: "Posix", package: "ShaleShared"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ], swiftSettings: settings),
        // Processes that are killed, behind a proxy that cuts; and the speed over loopback.
        .executableTarget(
            name: "sync-trial",
            dependencies: [
                "SyncServerHTTP",
                .product(name: "ShaleSync", package: "Shale"),
                .product(name: "ShaleHTTP", package: "Shale"),
                .product(name: "Posix", package: "ShaleShared"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Sources/SyncTrial", swiftSettings: settings),
        .testTarget(
            name: "SyncServerHTTPTests",
            dependencies: [
                "SyncServerHTTP", "shale-sync-server",
                .product(name: "ShaleSync", package: "Shale"),
                .product(name: "ShaleSyncServer", package: "Shale"),
                .product(name: "ShaleHTTP", package: "Shale"),
                .product(name: "Posix", package: "ShaleShared"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], swiftSettings: settings),
    ]
)
