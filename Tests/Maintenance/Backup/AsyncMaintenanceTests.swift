import Foundation
import Shale
import ShaleMaintenance
import Testing

/// Backups, copies and verifications for `async` callers, and by URL.
@Suite struct AsyncMaintenanceTests {
    private func withDirectory(_ body: (URL) async throws -> Void) async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("shale-upkeep-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: url) }
        try await body(url)
    }

    @Test func aBackupIsMadeVerifiedAndRestored() async throws {
        try await withDirectory { directory in
            let store = try await Store.open(at: directory.appendingPathComponent("store"))
            try store.common["n"].set(1, forKey: "a")
            let info = try await Maintenance.backUp(store.engine, to: directory.path + "/backups")
            #expect(info.number == 1)
            try await store.close()
            try await Maintenance.restore(from: directory.path + "/backups", into: directory.path + "/restored")
            let found = try await Maintenance.verify(storeAt: directory.path + "/restored")
            #expect(found.problems.isEmpty && found.entries == 1)
            try await Maintenance.copy(storeAt: directory.path + "/restored", into: directory.path + "/copy")
            let copy = try await Store.open(at: directory.path + "/copy")
            #expect(try copy.common["n"].int(forKey: "a") == 1)
            try await copy.close()
        }
    }

    @Test func aCancelledBackupDoesNothing() async throws {
        try await withDirectory { directory in
            let store = try await Store.open(at: directory.appendingPathComponent("store"))
            let engine = store.engine
            let result = await Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return try await Maintenance.backUp(engine, to: directory.path + "/backups")
            }.result
            let error = #expect(throws: StorageError.self) { try result.get() }
            #expect(error?.code == .cancelled)
            #expect(!FileManager.default.fileExists(atPath: directory.path + "/backups"))
            try await store.close()
        }
    }

    @Test func directoriesAreGivenAsURLs() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("shale-url-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = try Store(at: directory.appendingPathComponent("store"))
        try store.common["n"].set(1, forKey: "a")
        try Maintenance.backUp(store.engine, to: directory.appendingPathComponent("backups"))
        try store.close()
        try Maintenance.restore(
            from: directory.appendingPathComponent("backups"), into: directory.appendingPathComponent("restored"))
        #expect(try Maintenance.verify(storeAt: directory.appendingPathComponent("restored")).problems.isEmpty)
        try Maintenance.copy(
            storeAt: directory.appendingPathComponent("restored"), into: directory.appendingPathComponent("copy"))
        #expect(FileManager.default.fileExists(atPath: directory.path + "/copy"))
    }
}
