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

/// Not offered to Swift, because hardly anything may be done in the child.
@_silgen_name("fork") private func makeChild() -> pid_t

/// Contract M-1, M-2: locks across `fork`.
@Suite(.serialized) struct ForkedLockTests {
    private let temporary: TemporaryDirectory
    private let directory: any Directory

    init() throws {
        temporary = try TemporaryDirectory()
        directory = try PosixFileSystem().openDirectory(temporary.path + "/store", create: true)
    }

    /// The error number of taking the lock; 0 if it is free, and then let go again.
    private func attempt() -> Int32 {
        do {
            try directory.lock("LOCK").release()
            return 0
        } catch {
            return error.errorNumber
        }
    }

    /// Runs `body` in a child and returns what it returned.
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

    /// What the child does with its copy of the lock changes nothing for the parent, nor for the child's own files.
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

    /// M-1: a dead owner leaves no lock, also not with a child that lives on.
    @Test func theLockEndsWithItsOwnerAndNotWithTheOwnersChildren() throws {
        let gate = Pipe()
        let result = inChild {
            do {
                let held = try directory.lock("LOCK")
                if makeChild() == 0 {
                    gate.wait()
                    _exit(0)
                }
                // Dies without a word, as a process that is killed.
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

/// Holds up processes until it is opened.
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
