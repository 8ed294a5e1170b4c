#if os(Linux)
    import Foundation
    import ShaleKit
    import TestSupport
    import Testing

    /// Node files of terabytes. Each is read in a separate process that can allocate at most 1 GiB.
    @Suite struct HostileFileSizeTests {
        /// The process read something.
        private struct Taken: Error {}

        /// Reads a value whose file consists of `length` bytes of its content and then a hole.
        private static func read(_ key: String, length: Int) throws {
            try withHostileFolder { folder in
                let root = try FileStorage(at: folder)
                try root.set(String(repeating: "value", count: 100), forKey: key)
                let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
                let file = try #require(
                    try names.first { name in
                        let type = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.type]
                        return type as? FileAttributeType == .typeRegular
                    })
                try makeHole(in: folder + "/" + file, after: length)
                try limitAddressSpace()
                do throws(StorageError) {
                    _ = try root.value(forKey: key, as: String.self)
                } catch {
                    guard error.code == .corruption else { throw error }
                    return
                }
                throw Taken()
            }
        }

        @Test func aValueThatIsAHoleIsRefused() async {
            await #expect(processExitsWith: .success) { try Self.read("k", length: 0) }
        }

        @Test func aValueThatIsFollowedByAHoleIsRefused() async {
            await #expect(processExitsWith: .success) { try Self.read("k", length: 60) }
        }

        @Test func aLongNameThatIsFollowedByAHoleIsRefused() async {
            await #expect(processExitsWith: .success) {
                try Self.read(String(repeating: "long", count: 1000), length: 60)
            }
        }
    }
#endif
