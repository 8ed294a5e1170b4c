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
