import ShalePlatform
import ShaleSimulation
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Locks belong to open descriptions, which a child made by `fork` inherits.
@Suite struct ProcessTests {
    private let files = SimulatedFileSystem()
    private let directory: any Directory

    init() throws { directory = try files.openDirectory("s", create: true) }

    @Test func aChildCanNotHaveTheLockBeforeItsParentHasReleasedIt() throws {
        let held = try directory.lock("LOCK")
        let child = files.fork()
        files.run(in: child) {
            expectFailure(EWOULDBLOCK) { _ = try directory.lock("LOCK") }
            held.release()
            expectFailure(EWOULDBLOCK) { _ = try directory.lock("LOCK") }
        }
        expectFailure(EWOULDBLOCK) { _ = try directory.lock("LOCK") }
        held.release()
        let taken = try files.run(in: child) { try directory.lock("LOCK") }
        expectFailure(EWOULDBLOCK) { _ = try directory.lock("LOCK") }
        files.run(in: child) { taken.release() }
        try directory.lock("LOCK").release()
    }

    @Test func aLockOutlivesItsOwnerAsLongAsAChildHasTheDescriptor() throws {
        let parent = files.fork()
        let held = try files.run(in: parent) { try directory.lock("LOCK") }
        let child = files.run(in: parent) { files.fork() }
        files.end(parent)
        expectFailure(EWOULDBLOCK) { _ = try directory.lock("LOCK") }
        files.end(child)
        try directory.lock("LOCK").release()
        withExtendedLifetime(held) {}
    }
}
