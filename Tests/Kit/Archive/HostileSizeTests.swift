#if os(Linux)
    import Foundation
    import ShaleFoundation
    import Testing

    /// Files that need much more memory than their size to read. Each is read in a separate process
    /// that can allocate at most 1 GiB.
    @Suite struct HostileSizeTests {
        @Test func manyReferencesToOneDataAreRefused() async {
            await #expect(processExitsWith: .success) {
                try LimitedProcess.refuse(
                    "a.plist", { HostileFiles.sharedData(references: 65_000, bytes: 64 << 10) },
                    LimitedProcess.defaults(_:_:))
            }
        }

        @Test func anArchiveWithManyReferencesToOneDataIsRefused() async {
            await #expect(processExitsWith: .success) {
                try LimitedProcess.refuse(
                    "a.archive", { HostileFiles.sharedArchivedData(references: 65_000, bytes: 64 << 10) },
                    LimitedProcess.archive(_:_:))
            }
        }

        @Test func aTableOfMoreObjectsThanAreReferencedIsRefused() async {
            await #expect(processExitsWith: .success) {
                try LimitedProcess.refuse(
                    "a.plist", { HostileFiles.largeTable(objects: 60 << 20) },
                    LimitedProcess.defaults(_:_:))
            }
        }

        @Test func anXMLListOfManyElementsIsRefused() async {
            await #expect(processExitsWith: .success) {
                try LimitedProcess.refuse(
                    "a.plist", { HostileFiles.xml("<true/>", bytes: 63 << 20) },
                    LimitedProcess.defaults(_:_:))
            }
        }

        @Test func anXMLListThatIsTooDeepIsRefused() async {
            await #expect(processExitsWith: .success) {
                try LimitedProcess.refuse(
                    "a.plist", { HostileFiles.xml("<array>", bytes: 8 << 20) },
                    LimitedProcess.defaults(_:_:))
            }
        }

        @Test func anXMLListWithEntitiesIsRefused() async {
            await #expect(processExitsWith: .success) {
                try LimitedProcess.refuse("a.plist", { HostileFiles.xmlEntities }, LimitedProcess.defaults(_:_:))
            }
        }

        @Test func aJSONFileOfManyElementsIsRefused() async {
            await #expect(processExitsWith: .success) {
                try LimitedProcess.refuse(
                    "a.json", { HostileFiles.json("1,", bytes: 63 << 20) },
                    LimitedProcess.folder(_:_:))
            }
        }

        @Test func aJSONFileThatIsTooDeepIsRefused() async {
            await #expect(processExitsWith: .success) {
                try LimitedProcess.refuse(
                    "a.json", { HostileFiles.json("[", bytes: 63 << 20) },
                    LimitedProcess.folder(_:_:))
            }
        }

        /// The stored value of a hostile store, with a correct checksum.
        @Test func aStoredDocumentOfManyElementsIsRefused() async {
            await #expect(processExitsWith: .success) {
                try LimitedProcess.run(
                    "a.json", { HostileFiles.json("1,", bytes: 31 << 20) },
                    LimitedProcess.stored(_:_:))
            }
        }

        @Test func aFileOverTheLimitIsRefused() async {
            await #expect(processExitsWith: .success) {
                try LimitedProcess.refuse("a.plist", { Data(count: 64 << 20 + 1) }, LimitedProcess.defaults(_:_:))
            }
        }
    }
#endif
