import Shale
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store, and a directory of the application with files.
final class PathFixture {
    let fixture: StoreFixture
    let root: String
    var store: Store { fixture.store }

    init() throws {
        fixture = try StoreFixture()
        root = FileManager.default.temporaryDirectory.path + "/shale-paths-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: root) } catch { Issue.record("\(root) stays: \(error)") }
    }

    /// Writes a file that changed `age` seconds ago by the store's clock.
    func write(_ path: String, bytes: Int = 4096, age: Double = 0) throws {
        let url = URL(fileURLWithPath: root + "/" + path)
        try FileManager.default.createDirectory(
            atPath: url.deletingLastPathComponent().path, withIntermediateDirectories: true)
        try Data(repeating: 1, count: bytes).write(to: url)
        let now = Double(fixture.time.wallMilliseconds) / 1000
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: now - age)], ofItemAtPath: url.path)
    }

    func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: root + "/" + path) }
}
