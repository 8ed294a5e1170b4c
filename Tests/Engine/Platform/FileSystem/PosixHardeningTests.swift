import ShaleBase
import Testing

@testable import ShalePlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Modes, links and other attacks on a store's directory.
///
/// These tests run one after another, because the umask belongs to the process.
@Suite(.serialized) struct PosixHardeningTests {
    private let temporary: TemporaryDirectory
    private let path: String

    init() throws {
        temporary = try TemporaryDirectory()
        path = temporary.path + "/store"
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return 0 }
        return status.st_mode & 0o7777
    }

    @Test(arguments: [0o000, 0o022, 0o277] as [mode_t])
    func modesDoNotDependOnTheUmask(_ mask: mode_t) throws {
        let old = umask(mask)
        defer { umask(old) }
        let directory = try PosixFileSystem().openDirectory(path, create: true)
        try directory.make("f", "x")
        try directory.lock("LOCK").release()
        let inner = try directory.openDirectory("d", create: true)
        try inner.make("g", "x")
        #expect(mode(path) == 0o700)
        #expect(mode(path + "/f") == 0o600)
        #expect(mode(path + "/LOCK") == 0o600)
        #expect(mode(path + "/d") == 0o700)
        #expect(mode(path + "/d/g") == 0o600)
    }

    @Test func anExistingDirectoryKeepsItsModeAndReportsIt() throws {
        #expect(unsafe mkdir(path, 0o755) == 0)
        #expect(unsafe chmod(path, 0o755) == 0)
        let directory = try PosixFileSystem().openDirectory(path, create: true)
        #expect(directory.isOpenToOthers)
        #expect(mode(path) == 0o755)
    }

    @Test func symbolicLinksInsideTheStoreAreNotFollowed() throws {
        let directory = try PosixFileSystem().openDirectory(path, create: true)
        try directory.make("real", "x")
        #expect(unsafe symlink("real", path + "/alias") == 0)
        #expect(unsafe symlink("/", path + "/root") == 0)
        expectFailure(ELOOP) { _ = try directory.open("alias") }
        expectFailure(ELOOP) { _ = try directory.lock("alias") }
        expectFailure(EEXIST) { _ = try directory.create("alias") }
        #expect(throws: (any Error).self) { _ = try directory.openDirectory("root", create: true) }
        #expect(try directory.exists("alias"))
    }

    @Test func aLinkInThePlaceOfTheStoreIsRefusedWithAndWithoutASlash() throws {
        let fileSystem = PosixFileSystem()
        _ = try fileSystem.openDirectory(path, create: true)
        let alias = temporary.path + "/alias"
        #expect(unsafe symlink(path, alias) == 0)
        #expect(throws: (any Error).self) { _ = try fileSystem.openDirectory(alias, create: true) }
        #expect(throws: (any Error).self) { _ = try fileSystem.openDirectory(alias + "/", create: false) }
    }

    @Test func aDirectoryIsMadeBelowALink() throws {
        let fileSystem = PosixFileSystem()
        _ = try fileSystem.openDirectory(path, create: true)
        let alias = temporary.path + "/alias"
        #expect(unsafe symlink(path, alias) == 0)
        try fileSystem.openDirectory(alias + "/a", create: true).make("file", "x")
        try fileSystem.openPrivateDirectory(alias + "/b/c").make("file", "x")
        #expect(mode(path + "/a") == 0o700 && mode(path + "/b") == 0o700 && mode(path + "/b/c/file") == 0o600)
        #expect(unsafe unlink(alias) == 0)
    }

    @Test func aFIFONeitherBlocksNorOpens() throws {
        let directory = try PosixFileSystem().openDirectory(path, create: true)
        #expect(unsafe mkfifo(path + "/fifo", 0o600) == 0)
        expectFailure(EINVAL) { _ = try directory.open("fifo") }
    }

    /// An attacker that can put a link into the directory must not be able to have another file overwritten.
    @Test func aLockFileThatHasASecondNameIsNeverWritten() throws {
        let directory = try PosixFileSystem().openDirectory(path, create: true)
        try directory.make("victim", "precious")
        try directory.link("victim", to: "LOCK", in: directory)
        let held = try directory.lock("LOCK")
        let text = OwnedBytes([7])
        expectFailure(EMLINK) { try held.publish(text.bytes) }
        withExtendedLifetime(text) {}
        held.release()
        #expect(try directory.content("victim") == "precious")
    }

    @Test func takingALockChangesNothingInItsFile() throws {
        let directory = try PosixFileSystem().openDirectory(path, create: true)
        try directory.make("LOCK", "pid=1\n")
        let held = try directory.lock("LOCK")
        #expect(try directory.content("LOCK") == "pid=1\n")
        held.release()
    }

    @Test func aMissingStoreIsMadeOnlyWhenAskedAndOnlyOneLevelDeep() throws {
        let fileSystem = PosixFileSystem()
        expectFailure(ENOENT) { _ = try fileSystem.openDirectory(path, create: false) }
        expectFailure(ENOENT) { _ = try fileSystem.openDirectory(path + "/deeper", create: true) }
        _ = try fileSystem.openDirectory(path + "/", create: true)
        _ = try fileSystem.openDirectory(path, create: false)
    }

    @Test func aFileInThePlaceOfTheStoreIsRefused() throws {
        try PosixFileSystem().openDirectory(temporary.path, create: false).make("store", "x")
        expectFailure(ENOTDIR) { _ = try PosixFileSystem().openDirectory(path, create: true) }
    }

    @Test func descriptorsAreNotInheritedAndCloseWithTheirOwner() throws {
        let directory = try PosixFileSystem().openDirectory(path, create: true)
        try directory.make("f", "x")
        var opened: [Int32] = []
        do {
            let before = Set((0..<1024).filter { fcntl(Int32($0), F_GETFD) >= 0 })
            let file = try directory.open("f")
            let lock = try directory.lock("LOCK")
            opened = (0..<1024).filter { fcntl($0, F_GETFD) >= 0 && !before.contains(Int($0)) }
            #expect(opened.count >= 2)
            withExtendedLifetime((file, lock)) {}
        }
        // Other tests open files meanwhile through the same wrappers; all of these close on exec.
        for descriptor in opened {
            let flags = fcntl(descriptor, F_GETFD)
            #expect(flags < 0 || flags & FD_CLOEXEC != 0)
        }
    }
}

/// A call that a signal interrupts is repeated, and a failed call is not.
///
/// `tools/system-calls` interrupts every kind of call that a store makes.
@Suite struct InterruptedCallTests {
    @Test func anInterruptedCallIsMadeAgain() throws {
        var outcomes: [Int32] = [EINTR, EINTR, 0, EIO]
        let result = try SystemCall.run("fsync", "file") { () -> Int32 in
            let number = outcomes.removeFirst()
            errno = number
            return number == 0 ? 7 : -1
        }
        #expect(result == 7 && outcomes == [EIO])
    }

    @Test func aFailedCallIsNotMadeAgain() {
        var count = 0
        expectFailure(EIO) {
            _ = try SystemCall.run("fsync", "file") { () -> Int32 in
                count += 1
                errno = EIO
                return -1
            }
        }
        #expect(count == 1)
    }
}
