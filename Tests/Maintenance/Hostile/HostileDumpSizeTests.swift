#if os(Linux)
    import Foundation
    import Shale
    import ShaleMaintenance
    import TestSupport
    import Testing

    /// Dumps and backups of excessive size. Each is read in a separate process that can allocate at
    /// most 1 GiB.
    @Suite struct HostileDumpSizeTests {
        /// The process loaded or restored something, or got an error of another kind.
        private struct Taken: Error {}

        private static func refuse(_ body: (_ folder: String) throws -> Void) throws {
            do {
                try withHostileFolder(body)
            } catch let error as StorageError {
                guard error.code == .corruption || error.code == .invalidArgument else { throw error }
                return
            }
            throw Taken()
        }

        /// Loads a dump that begins with `head` and repeats `piece` up to 256 MiB.
        private static func load(_ head: String, _ piece: String) throws {
            let repeated = Array(String(repeating: piece, count: (1 << 20) / piece.utf8.count).utf8)
            try refuse { folder in
                try limitAddressSpace()
                var pieces = 0
                try Maintenance.load(into: folder + "/store") { () throws(StorageError) in
                    defer { pieces += 1 }
                    if pieces == 0 { return Array(head.utf8) }
                    return pieces <= 256 ? repeated : []
                }
            }
        }

        private static let header = "{\"shaleDump\":1,\"nextNamespace\":9}\n"

        @Test func aLineWithoutAnEndIsRefused() async {
            await #expect(processExitsWith: .success) { try Self.load(Self.header, "x") }
        }

        @Test func aValueWithoutAnEndIsRefused() async {
            await #expect(processExitsWith: .success) {
                let names = "{\"namespace\":1,\"path\":[\"n\"]}\n"
                try Self.load(Self.header + names + "{\"k\":\"k\",\"c\":2,\"v\":\"", "\\u0001")
            }
        }

        @Test func aPathOfTooManyPartsIsRefused() async {
            await #expect(processExitsWith: .success) {
                try Self.load(Self.header + "{\"namespace\":1,\"path\":[\"n\"", ",\"\"")
            }
        }

        /// Restores a backup whose file `name` consists of `length` bytes of its content and then a hole of terabytes.
        private static func restore(_ name: String, length: Int) throws {
            try refuse { folder in
                let store = try Store(at: folder + "/store")
                try store.common["n"].set("value", forKey: "k")
                _ = try Maintenance.backUp(store.engine, to: folder + "/backups")
                try store.close()
                let files = try FileManager.default.subpathsOfDirectory(atPath: folder + "/backups")
                let file = try #require(files.first { $0.contains(name) })
                try makeHole(in: folder + "/backups/" + file, after: length)
                try limitAddressSpace()
                _ = try Maintenance.restore(from: folder + "/backups", into: folder + "/restored")
            }
        }

        @Test func aBackupThatIsAHoleIsRefused() async {
            await #expect(processExitsWith: .success) { try Self.restore("BACKUP-", length: 0) }
        }

        @Test func aBackupThatIsFollowedByAHoleIsRefused() async {
            await #expect(processExitsWith: .success) { try Self.restore("BACKUP-", length: 100) }
        }

        @Test func aSegmentOfABackupThatIsAHoleIsRefused() async {
            await #expect(processExitsWith: .success) { try Self.restore(".seg", length: 0) }
        }
    }
#endif
