import ShaleBase
import ShalePlatform
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The contract of all file systems for held positions.
@Suite struct HoldContractTests {
    @Test(arguments: FileSystemUnderTest.allCases)
    func theOwnerSeesPositionsUntilTheyAreReleased(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            let owner = try directory.lock("LOCK")
            #expect(try owner.heldPositions() == [])
            let reader = try directory.openHolds("LOCK")
            let other = try directory.openHolds("LOCK")
            // Adjacent ones too, and one that two readers hold.
            for position: UInt64 in [0, 6, 7, FileHoldLimits.positionMax] { try reader.hold(position) }
            try reader.hold(7)
            try other.hold(7)
            #expect(try owner.heldPositions().sorted() == [0, 6, 7, FileHoldLimits.positionMax])
            reader.release(0)
            reader.release(7)
            reader.release(99)
            #expect(try owner.heldPositions().sorted() == [6, 7, FileHoldLimits.positionMax])
            other.close()
            other.close()
            #expect(try owner.heldPositions().sorted() == [6, FileHoldLimits.positionMax])
            reader.close()
            #expect(try owner.heldPositions() == [])
            owner.release()
        }
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func positionsEndWithTheLastReference(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            let owner = try directory.lock("LOCK")
            do {
                let reader = try directory.openHolds("LOCK")
                try reader.hold(3)
                #expect(try owner.heldPositions() == [3])
            }
            #expect(try owner.heldPositions() == [])
        }
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func aHoldChangesNothingAndDoesNotDisturbTheLock(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            try directory.make("LOCK", "text")
            let reader = try directory.openHolds("LOCK")
            try reader.hold(3)
            let owner = try directory.lock("LOCK")
            expectFailure(EWOULDBLOCK) { _ = try directory.lock("LOCK") }
            #expect(try directory.content("LOCK") == "text")
            #expect(try owner.heldPositions() == [3])
            owner.release()
            try directory.lock("LOCK").release()
            expectFailure(ENOENT) { _ = try directory.openHolds("other") }
            expectFailure(EINVAL) { try reader.hold(FileHoldLimits.positionMax + 1) }
            #expect(try directory.list() == ["LOCK"])
        }
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func tooManyPositionsAreReportedAsTheFirst(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            let owner = try directory.lock("LOCK")
            let reader = try directory.openHolds("LOCK")
            for position in 0..<FileHoldLimits.positions { try reader.hold(UInt64(1 + 5 * position)) }
            #expect(try owner.heldPositions().count == FileHoldLimits.positions)
            try reader.hold(1 << 40)
            #expect(try owner.heldPositions() == [0])
        }
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func aReplacedFileIsNoticed(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            try directory.make("LOCK", "")
            let reader = try directory.openHolds("LOCK")
            try reader.verify()
            try directory.rename("LOCK", to: "old", in: directory)
            expectFailure(ESTALE) { try reader.verify() }
            try directory.make("LOCK", "")
            expectFailure(ESTALE) { try reader.verify() }
        }
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func aRemovedAndCutFileIsEmptyUnlessItHasAnotherName(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            let content = String(repeating: "x", count: (2 << 20) + 7)
            for name in ["a", "b"] { try directory.make(name, content) }
            try directory.link("b", to: "c", in: directory)
            let readers = [try directory.open("a"), try directory.open("b")]
            try directory.removeAndCut("a")
            try directory.removeAndCut("b")
            #expect(try directory.list() == ["c"])
            #expect(try readers[0].size() == 0)
            #expect(try readers[1].size() == UInt64(content.utf8.count))
            expectFailure(ENOENT) { try directory.removeAndCut("a") }
            for reader in readers { reader.close() }
        }
    }
}

/// Positions of other processes.
@Suite(.serialized) struct ForkedHoldTests {
    /// Swift does not import `fork`, because a child may make only a few calls.
    @_silgen_name("fork") private static func makeChild() -> pid_t

    @Test func positionsEndWithTheProcessThatHoldsThem() throws {
        let temporary = try TemporaryDirectory()
        let directory = try PosixFileSystem().openDirectory(temporary.path + "/store", create: true)
        let owner = try directory.lock("LOCK")
        let child = Self.makeChild()
        if child == 0 {
            do {
                let reader = try directory.openHolds("LOCK")
                try reader.hold(5)
                while true { _ = pause() }
            } catch {
                _exit(1)
            }
        }
        #expect(eventually { (try? owner.heldPositions()) == [5] })
        kill(child, SIGSTOP)
        #expect(try owner.heldPositions() == [5])
        kill(child, SIGKILL)
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        #expect(try owner.heldPositions() == [])
        owner.release()
    }

    @Test func aChildDoesNotKeepThePositionsOfItsParent() throws {
        let temporary = try TemporaryDirectory()
        let directory = try PosixFileSystem().openDirectory(temporary.path + "/store", create: true)
        let owner = try directory.lock("LOCK")
        let reader = try directory.openHolds("LOCK")
        try reader.hold(5)
        let child = Self.makeChild()
        if child == 0 {
            reader.release(5)
            reader.close()
            while true { _ = pause() }
        }
        #expect(try owner.heldPositions() == [5])
        reader.close()
        // The child may not have run yet.
        #expect(eventually { (try? owner.heldPositions()) == [] })
        kill(child, SIGKILL)
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        owner.release()
    }
}
