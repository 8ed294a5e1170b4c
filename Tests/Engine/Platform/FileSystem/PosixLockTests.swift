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
/// Locks against other processes and under other paths.
@Suite struct PosixLockTests {
    private let temporary: TemporaryDirectory
    private let path: String

    init() throws {
        temporary = try TemporaryDirectory()
        path = temporary.path + "/store"
    }

    @Test func aLockThatAnotherDescriptionHoldsIsRefused() throws {
        let directory = try PosixFileSystem().openDirectory(path, create: true)
        try directory.make("LOCK", "pid=1\n")
        // `flock` distinguishes open descriptions, not processes; this description stands for a foreign process.
        let foreign = unsafe open(path + "/LOCK", O_RDWR | O_CLOEXEC)
        defer { close(foreign) }
        #expect(flock(foreign, LOCK_EX | LOCK_NB) == 0)
        expectFailure(EWOULDBLOCK) { _ = try directory.lock("LOCK") }
        #expect(directory.lockHolder("LOCK") == "pid=1")
        #expect(flock(foreign, LOCK_UN) == 0)
        // The refusal has left no entry in the process's registry.
        try directory.lock("LOCK").release()
    }

    @Test(.enabled(if: unsafe access("/usr/bin/flock", X_OK) == 0))
    func anotherProcessIsRefusedWhileTheLockIsHeld() throws {
        let directory = try PosixFileSystem().openDirectory(path, create: true)
        let held = try directory.lock("LOCK")
        #expect(try run("/usr/bin/flock", "-n", path + "/LOCK", "true") == 1)
        held.release()
        #expect(try run("/usr/bin/flock", "-n", path + "/LOCK", "true") == 0)
    }

    @Test func aSymbolicLinkAboveTheStoreIsNoWayAroundALock() throws {
        let fileSystem = PosixFileSystem()
        let held = try fileSystem.openDirectory(path, create: true).lock("LOCK")
        let alias = temporary.path + "/alias"
        #expect(unsafe symlink(temporary.path, alias) == 0)
        let other = try fileSystem.openDirectory(alias + "/store", create: false)
        expectFailure(EWOULDBLOCK) { _ = try other.lock("LOCK") }
        held.release()
        #expect(unsafe unlink(alias) == 0)
    }

    /// Runs a command and returns its exit status.
    private func run(_ arguments: String...) throws -> Int32 {
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) }
        defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
        unsafe pointers.append(nil)
        var child = pid_t()
        let status = unsafe posix_spawn(&child, arguments[0], nil, nil, pointers, nil)
        try #require(status == 0)
        var result: Int32 = 0
        try #require(unsafe waitpid(child, &result, 0) == child)
        return result >> 8 & 0xff
    }
}
