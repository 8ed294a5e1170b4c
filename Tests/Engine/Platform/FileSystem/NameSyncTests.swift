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

/// Contract D-2: syncing the names above a directory. `tools/system-calls` checks that the calls are made.
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
