// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .strictMemorySafety(),
        .enableUpcomingFeature("ExistentialAny"),
    ] + (Context.environment["SHALE_ADAPTERS"] != nil ? [.define("SHALE_ADAPTERS")] : [])

// The HTTP cache against real servers on loopback. A package of its own, so that the library's tests build without a
// web framework.
let package = Package(
    name: "HTTPLoopback",
    platforms: [.macOS(.v15)],
    dependencies: [
        // The traits of tools/SyncServer: both packages share a build, so the library is compiled once for them.
        .package(name: "Shale", path: "../../..", traits: ["AsyncHTTPClient", "Logging", "ServiceLifecycle"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.0", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
    ],
    targets: [
        // The cache as a proxy, for tests that are not ours: tools/cache-tests.
        .executableTarget(
            name: "cache-proxy",
            dependencies: [
                .product(name: "ShaleHTTP", package: "Shale"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ], swiftSettings: settings),
        .testTarget(
            name: "LoopbackTests",
            dependencies: [
                .product(name: "ShaleHTTP", package: "Shale"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ], swiftSettings: settings),
    ]
)
