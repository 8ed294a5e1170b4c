import Foundation
import ShaleArchive
import Testing

/// A store in a temporary directory that goes away with the fixture.
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

/// The code of the error that `body` throws; `nil` when it throws none.
func code<R>(_ body: () throws(StorageError) -> R) -> StorageError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return error.code
    }
}
