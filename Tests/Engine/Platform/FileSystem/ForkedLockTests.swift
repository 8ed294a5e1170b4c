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

/// Swift does not import `fork`, because a child may make only a few calls.
@_silgen_name("fork") private func makeChild() -> pid_t

/// Locks across `fork`.
@Suite(.serialized) struct ForkedLockTests {
    private let temporary: TemporaryDirectory
    private let directory: any Directory

    init() throws {
        temporary = try TemporaryDirectory()
        directory = try PosixFileSystem().openDirectory(temporary.path + "/store", create: true)
    }

    /// Takes the lock and releases it again. Returns 0, or the error number if the lock can't be taken.
    private func attempt() -> Int32 {
        do {
            try directory.lock("LOCK").release()
            return 0
        } catch {
            return error.errorNumber
        }
    }

    /// Runs `body` in a child process and returns its result.
    private func inChild(_ body: () -> Int32) -> Int32 {
        let child = makeChild()
        if child == 0 { _exit(body()) }
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status & 127 == 0 ? status >> 8 & 255 : -1
    }

    @Test func aChildGetsTheLockOnceTheParentHasLetGo() throws {
        let hasTried = Pipe()
        let gate = Pipe()
        let held = try directory.lock("LOCK")
        let child = makeChild()
        if child == 0 {
            let first = attempt()
            hasTried.open()
            gate.wait()
            guard first == EWOULDBLOCK else { _exit(1) }
            _exit(attempt() == 0 ? 17 : 2)
        }
        hasTried.wait()
        held.release()
        gate.open()
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        #expect(status >> 8 & 255 == 17 && status & 127 == 0)
        #expect(attempt() == 0)
    }

    /// If the child releases its copy of the lock, nothing changes for the parent or for the child's own files.
    @Test func aChildCanNotLetGoOfItsParentsLock() throws {
        let held = try directory.lock("LOCK")
        let result = inChild {
            held.release()
            return attempt() == EWOULDBLOCK ? 17 : 1
        }
        #expect(result == 17)
        #expect(attempt() == EWOULDBLOCK)
        held.release()
        #expect(attempt() == 0)
    }

    @Test func aChildPublishesNothing() throws {
        let held = try directory.lock("LOCK")
        let before = try directory.content("LOCK")
        let result = inChild {
            let text = OwnedBytes([1, 2, 3])
            defer { withExtendedLifetime(text) {} }
            do { try held.publish(text.bytes) } catch { return 17 }
            return 1
        }
        #expect(result == 17)
        #expect(try directory.content("LOCK") == before)
        held.release()
    }

    /// The lock of a dead owner is free, even while a child of the owner lives.
    @Test func theLockEndsWithItsOwnerAndNotWithTheOwnersChildren() throws {
        let gate = Pipe()
        let result = inChild {
            do {
                let held = try directory.lock("LOCK")
                if makeChild() == 0 {
                    gate.wait()
                    _exit(0)
                }
                // Ends without cleaning up, as a killed process does.
                withExtendedLifetime(held) { _exit(17) }
            } catch {
                return 1
            }
        }
        #expect(result == 17)
        #expect(attempt() == 0)
        gate.open()
    }
}

/// Blocks processes until it is opened.
private final class Pipe {
    private var ends: [Int32] = [-1, -1]

    init() { unsafe pipe(&ends) }

    deinit { for end in ends { close(end) } }

    func wait() {
        var byte: UInt8 = 0
        while unsafe read(ends[0], &byte, 1) < 0, errno == EINTR {}
    }

    func open() {
        var byte: UInt8 = 1
        unsafe write(ends[1], &byte, 1)
    }
}
