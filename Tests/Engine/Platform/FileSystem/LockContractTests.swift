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

/// The contract of both file systems for locks.
@Suite struct LockContractTests {
    @Test(arguments: FileSystemUnderTest.allCases)
    func aHeldLockRefusesASecondOpenerUntilItIsReleased(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            let held = try directory.lock("LOCK")
            expectFailure(EWOULDBLOCK) { _ = try directory.lock("LOCK") }
            held.release()
            held.release()
            let again = try directory.lock("LOCK")
            expectFailure(EWOULDBLOCK) { _ = try directory.lock("LOCK") }
            again.release()
            #expect(try directory.list() == ["LOCK"])
        }
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func aHardLinkIsNoWayAroundALock(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            let held = try directory.lock("LOCK")
            try directory.link("LOCK", to: "LOCK2", in: directory)
            expectFailure(EWOULDBLOCK) { _ = try directory.lock("LOCK2") }
            held.release()
            try directory.lock("LOCK2").release()
        }
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func theTextOfALockIsWhatWasPublishedLast(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            let held = try directory.lock("LOCK")
            for text in ["a long text", "short", ""] {
                let bytes = OwnedBytes(Array(text.utf8))
                try held.publish(bytes.bytes)
                withExtendedLifetime(bytes) {}
                let file = try directory.open("LOCK")
                let buffer = OwnedBytes(count: 64)
                let count = try file.read(into: buffer.mutable, at: 0)
                #expect(buffer.bytes.slice(0, count).array() == Array(text.utf8))
            }
            held.release()
        }
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func aLockEndsWithItsLastReference(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            do { _ = try directory.lock("LOCK") }
            _ = try directory.lock("LOCK")
        }
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func aLockWhoseFileHasLostItsNameSaysSo(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            let held = try directory.lock("LOCK")
            try held.verify()
            try directory.rename("LOCK", to: "aside", in: directory)
            expectFailure(ESTALE) { try held.verify() }
            let other = try directory.lock("LOCK")
            expectFailure(ESTALE) { try held.verify() }
            try other.verify()
            other.release()
            try directory.rename("aside", to: "LOCK", in: directory)
            try held.verify()
            try directory.remove("LOCK")
            expectFailure(ESTALE) { try held.verify() }
            held.release()
        }
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func aFileWithASecondNameIsLockedAndNotWritten(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            try directory.make("victim", "precious")
            try directory.link("victim", to: "LOCK", in: directory)
            let held = try directory.lock("LOCK")
            held.publishHolder()
            #expect(try directory.content("victim") == "precious")
            held.release()
        }
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func theHolderIsNamedInTheLockFile(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            #expect(directory.lockHolder("LOCK") == nil)
            let held = try directory.lock("LOCK")
            #expect(directory.lockHolder("LOCK") == nil)
            held.publishHolder()
            #expect(directory.lockHolder("LOCK") == "pid=\(getpid())")
            held.release()
        }
    }
}

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
