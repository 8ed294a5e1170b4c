import Shale
import Testing

/// A scene of an app whose store lies in the directory of an app group.
@MainActor final class SceneSample {
    private(set) var store: Store?
    private var suspended: Store.Suspended?

    init(_ store: Store) { self.store = store }

    func sceneDidEnterBackground() async throws { suspended = try await store?.suspend() }
    func sceneWillEnterForeground() async throws { store = try await suspended?.resume() }
}

@Suite struct AppSamples {
    @Test func anExtensionWritesWhileTheAppIsSuspended() async throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let scene = await SceneSample(try Store(at: place.path + "/store"))
        try await scene.sceneDidEnterBackground()
        let other = try Store(at: place.path + "/store")
        try other.common["drafts"].set("note", forKey: "1")
        try await other.close()
        try await scene.sceneWillEnterForeground()
        let store = try #require(await scene.store)
        #expect(try store.common["drafts"].string(forKey: "1") == "note")
        try await store.close()
    }
}

#if canImport(Darwin)
    import Foundation

    // Compiled only where protection classes and device backups exist.
    func openStore(in container: URL) throws -> Store {
        var directory = container.appendingPathComponent("Store", isDirectory: true)
        let attributes: [FileAttributeKey: Any] = [
            .posixPermissions: 0o700,
            .protectionKey: FileProtectionType.completeUntilFirstUserAuthentication,
        ]
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: attributes)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true  // only if all of the store can be made again
        try directory.setResourceValues(values)
        return try Store(at: directory.path)
    }
#endif
