import Foundation
import ShaleNodes
import TestSupport
import Testing

/// Node files without read permission are `.locked`, never missing, on a real file system.
@Suite(.enabled(if: Unprivileged.isPossible, "root on this system may read everything"))
struct FilePermissionTests {
    @Test func whatMayNotBeReadIsLocked() throws {
        try Unprivileged.runInFolder { (folder) throws in
            func mail() throws(StorageError) -> FileStorage { try FileStorage(at: folder).child(named: "mail") }
            let keys = ["k", String(repeating: "x", count: 300)]
            for key in keys { try mail().set("v", forKey: key) }
            let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
            let places = [folder] + names.map { folder + "/" + $0 }
            #expect(places.count == 6, "root, nodes, mail, keys, and a file for each key")
            var lockedCount = 0
            for place in places {
                try Unprivileged.withoutPermissions(for: place) {
                    for key in keys {
                        var value: String? = "v"
                        let failure = code { () throws(StorageError) in
                            value = try mail().value(forKey: key, as: String.self)
                        }
                        #expect(value == "v", "nothing is missing")
                        #expect(failure == nil || failure == .locked, "\(place)")
                        if failure == .locked { lockedCount += 1 }
                    }
                }
            }
            // Four directories hide two keys each, and two files hide one each.
            #expect(lockedCount == 10)
            #expect(try mail().keys() == keys)
        }
    }
}
