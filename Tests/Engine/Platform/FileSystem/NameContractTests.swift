import ShaleBase
import ShalePlatform
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The contract of both file systems for names.
@Suite struct NameContractTests {
    @Test(arguments: FileSystemUnderTest.allCases)
    func aListingHasEveryNameOnceAndSorted(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            #expect(try directory.list() == [])
            for index in (0..<300).reversed() { try directory.make("f\(1000 + index)", "") }
            _ = try directory.openDirectory("d", create: true)
            #expect(try directory.list() == ["d"] + (0..<300).map { "f\(1000 + $0)" })
            #expect(try directory.list().count == 301)
        }
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func aRenameReplaces(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            try directory.make("a", "new")
            try directory.make("b", "old")
            try directory.rename("a", to: "b", in: directory)
            #expect(try directory.list() == ["b"])
            #expect(try directory.content("b") == "new")
            expectFailure(ENOENT) { try directory.rename("a", to: "c", in: directory) }
            let trash = try directory.openDirectory("trash", create: true)
            try directory.rename("b", to: "b2", in: trash)
            #expect(try trash.content("b2") == "new")
            #expect(try directory.list() == ["trash"])
        }
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func aLinkIsASecondNameOfOneFile(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            let copy = try directory.openDirectory("copy", create: true)
            let file = try directory.create("a")
            try directory.link("a", to: "b", in: copy)
            try file.append("shared", at: 0)
            #expect(try copy.content("b") == "shared")
            expectFailure(EEXIST) { try directory.link("a", to: "b", in: copy) }
            expectFailure(ENOENT) { try directory.link("none", to: "c", in: copy) }
            try directory.remove("a")
            #expect(try copy.content("b") == "shared")
        }
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func aRenameBetweenTwoNamesOfOneFileChangesNothing(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            try directory.make("a", "x")
            try directory.link("a", to: "b", in: directory)
            try directory.rename("a", to: "b", in: directory)
            #expect(try directory.list() == ["a", "b"])
        }
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func missingNamesAreErrors(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            expectFailure(ENOENT) { try directory.remove("none") }
            expectFailure(ENOENT) { _ = try directory.openDirectory("none", create: false) }
            let exists = try directory.exists("none")
            #expect(!exists)
        }
    }

    @Test(
        arguments: FileSystemUnderTest.allCases,
        ["", ".", "..", "a/b", "../x", "a\0b", String(repeating: "n", count: 256)])
    func aNameThatIsNoPlainComponentIsRefused(_ kind: FileSystemUnderTest, _ name: String) throws {
        try kind.withDirectory { directory in
            try directory.make("f", "")
            expectFailure(EINVAL) { _ = try directory.create(name) }
            expectFailure(EINVAL) { _ = try directory.open(name) }
            expectFailure(EINVAL) { _ = try directory.openDirectory(name, create: true) }
            expectFailure(EINVAL) { _ = try directory.exists(name) }
            expectFailure(EINVAL) { _ = try directory.lock(name) }
            expectFailure(EINVAL) { try directory.rename("f", to: name, in: directory) }
            expectFailure(EINVAL) { try directory.link("f", to: name, in: directory) }
            expectFailure(EINVAL) { try directory.remove(name) }
            #expect(try directory.list() == ["f"])
        }
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func identityIsTheSameForTwoOpeningsAndDiffersBetweenDirectories(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            let one = try directory.openDirectory("d", create: true)
            let two = try directory.openDirectory("d", create: true)
            #expect(one.identity == two.identity)
            #expect(one.identity != directory.identity)
        }
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func errorsNameFilesRelativeToTheStore(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            let inner = try directory.openDirectory("wal", create: true)
            #expect(inner.path == "wal")
            do throws(IOFailure) {
                _ = try inner.open("1.wal")
            } catch {
                #expect(error.file == "wal/1.wal")
            }
        }
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func freeSpaceIsKnownAndSyncsSucceed(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            #expect(try directory.freeBytes() > 0)
            try directory.sync()
            #expect(!directory.durabilityIsReduced)
        }
    }
}

/// Syncing the names above a directory. `tools/system-calls` checks that the calls are made.
@Suite struct NameSyncTests {
    @Test func namesAreSyncedUpToTheTop() throws {
        let temporary = try TemporaryDirectory()
        let files = PosixFileSystem()
        _ = try files.openPrivateDirectory(temporary.path + "/a/b/c")
        try files.syncNames(above: temporary.path + "/a/b/c")
        try files.syncNames(above: "/")
        expectFailure(ENOENT) { try files.syncNames(above: temporary.path + "/missing") }
    }

    /// The names in a directory without read permission can't be synced alone.
    @Test func aParentThatMayNotBeReadIsNoObstacle() throws {
        let temporary = try TemporaryDirectory()
        let files = PosixFileSystem()
        _ = try files.openPrivateDirectory(temporary.path + "/a/b")
        #expect(unsafe chmod(temporary.path + "/a", 0o100) == 0)
        defer { unsafe chmod(temporary.path + "/a", 0o700) }
        try files.syncNames(above: temporary.path + "/a/b")
    }
}
