import Shale
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Contract E-2: a store without read permission is `.locked`, never empty and never missing, on a real file system.
@Suite(.enabled(if: Unprivileged.isPossible, "root on this system may read everything"))
struct StorePermissionTests {
    /// Makes a store with values in segments and in a log.
    private static func make(_ path: String) throws {
        let store = try Store(at: path)
        try store.common["n"].set("flushed", forKey: "a")
        try store.engine.flush()
        try store.common["n"].set("logged", forKey: "b")
        try store.close()
    }

    private static func read(_ path: String, creating: Bool) throws(StorageError) -> [String] {
        var options = StoreOptions()
        options.engine.mode = creating ? .createIfMissing : .openExisting
        let store = try Store(at: path, options: options)
        do throws(StorageError) {
            let values = [
                try store.common["n"].string(forKey: "a") ?? "missing",
                try store.common["n"].string(forKey: "b") ?? "missing",
            ]
            try store.close()
            return values
        } catch {
            try store.close()
            throw error
        }
    }

    /// Returns the result of reading while `place` has no permissions.
    private static func outcome(without place: String, of path: String, creating: Bool) throws -> String {
        try Unprivileged.withoutPermissions(for: place) {
            do throws(StorageError) {
                return try read(path, creating: creating).joined(separator: " ")
            } catch {
                return "\(error.code)"
            }
        }
    }

    @Test(arguments: [true, false]) func whatMayNotBeReadIsLocked(creating: Bool) throws {
        try Unprivileged.runInFolder { (folder) throws in
            let path = folder + "/store"
            try Self.make(path)
            for directory in [folder, path, path + "/segments"] {
                let outcome = try Self.outcome(without: directory, of: path, creating: creating)
                #expect(outcome == "locked", "\(directory)")
            }
            var lockedCount = 0
            for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
                // An earlier opening has replaced some files.
                guard FileManager.default.fileExists(atPath: path + "/" + name) else { continue }
                let outcome = try Self.outcome(without: path + "/" + name, of: path, creating: creating)
                // A file that no answer needs, such as the reserve, does not prevent the answer.
                #expect(outcome == "locked" || outcome == "flushed logged", "\(name)")
                if outcome == "locked" { lockedCount += 1 }
            }
            #expect(lockedCount >= 5, "CURRENT, manifest, lock, directories, a segment")
            #expect(try Self.read(path, creating: creating) == ["flushed", "logged"], "nothing was changed")
        }
    }
}
