import Foundation
import ShaleArchive
import Testing

/// A store in a temporary directory that is removed with the fixture.
final class ArchiveFixture {
    private let path = FileManager.default.temporaryDirectory.path + "/shale-archives-\(UUID().uuidString)"
    let store: Store
    var namespace: Namespace { store.common["n"] }

    init() throws {
        store = try Store(at: path)
    }

    deinit {
        do {
            try store.close()
            try FileManager.default.removeItem(atPath: path)
        } catch {
            Issue.record("could not remove \(path): \(error)")
        }
    }
}
