import ShaleBase
import ShaleLog
import ShalePlatform
import ShaleSimulation
import Synchronization
import TestSupport
import Testing

/// The reserved space behind the end of a log: the writer reserves it early and returns it when the log is at rest.
@Suite struct LogSpaceTests {
    private static let fullBytes: UInt64 = 40 << 20
    private static let restBytes: UInt64 = 512 << 10

    private let files = SimulatedFileSystem()
    private let directory: any Directory
    private let writer: LogWriter
    private let commitLock = Lock()

    init() throws {
        directory = try files.openDirectory("/wal", create: true)
        writer = try LogWriter(
            directory: directory, name: "log", number: 12, kind: .wal, previous: .none,
            preallocate: LogSpaceTests.fullBytes, isMapped: true)
    }

    private var size: UInt64 { get throws { try directory.sizeOfFile("log") } }

    private func append(_ count: Int, _ value: UInt8) throws {
        let record = OwnedBytes([UInt8](repeating: value, count: count))
        try commitLock.withLock { try writer.append(record.bytes) }
    }

    private func giveBack() throws { try writer.trimSpace(ifOver: 0, under: commitLock) }

    /// Returns the lengths of the records in the file.
    private func lengths() throws -> [Int] {
        let reader = try LogReader(
            file: directory.open("log"), path: "wal/log", number: 12, kind: .wal, mayLackHeader: false)
        var lengths: [Int] = []
        _ = try reader.forEach { lengths.append($0.payload.count) }
        return lengths
    }

    @Test func aLogAtRestReleasesExcessSpace() throws {
        try append(1000, 1)
        #expect(try size == LogSpaceTests.fullBytes)
        try giveBack()
        #expect(try size == LogSpaceTests.restBytes)
        try giveBack()
        #expect(try size == LogSpaceTests.restBytes)
        try append(100_000, 2)
        #expect(try size == LogSpaceTests.restBytes, "an append that fits reserves nothing")
        try append(5 << 20, 3)
        try append(1000, 4)
        #expect(try size > LogSpaceTests.restBytes)
        try writer.close(truncating: false)
        #expect(try lengths() == [1000, 100_000, 5 << 20, 1000])
    }

    /// The space that a manifest reserves ahead of its end is there, or known to be missing.
    @Test func spaceIsKeptAheadOfTheEndWhileThereIsSome() throws {
        let log = try LogWriter(
            directory: directory, name: "ahead", number: 13, kind: .manifest, previous: .none, preallocate: 64 << 10)
        #expect(try log.keepAhead(16 << 10, step: 64 << 10))
        #expect(try directory.sizeOfFile("ahead") == 64 << 10, "enough is left")
        #expect(try log.keepAhead(80 << 10, step: 128 << 10))
        let size = try directory.sizeOfFile("ahead")
        #expect(size >= 128 << 10)
        files.setQuota(1)
        #expect(try !log.keepAhead(size, step: 64 << 10))
        #expect(try directory.sizeOfFile("ahead") == size)
        try log.close(truncating: true)
    }

    /// A cut never removes the mapped window, because a store behind the end of the file would be lost.
    @Test func theMappedPartStays() throws {
        for value in 0..<30 {
            try append(150_000, UInt8(value))
            try giveBack()
            #expect(try size >= writer.endOffset)
            try writer.reserveAhead(upTo: LogSpaceTests.fullBytes, all: true, under: commitLock)
            #expect(try size == LogSpaceTests.fullBytes)
        }
        try writer.close(truncating: false)
        #expect(try lengths() == [Int](repeating: 150_000, count: 30))
    }

    @Test func aStepIsReservedAheadOfALogThatRunsShort() throws {
        try giveBack()
        let ahead = { try writer.reserveAhead(upTo: LogSpaceTests.fullBytes, all: false, under: commitLock) }
        try append(200_000, 1)
        try ahead()
        #expect(try size == LogSpaceTests.restBytes, "there is enough")
        try append(200_000, 2)
        try ahead()
        #expect(try size == 5 * LogSpaceTests.restBytes)
        try ahead()
        #expect(try size == 5 * LogSpaceTests.restBytes)
        try writer.close(truncating: false)
        #expect(try lengths() == [200_000, 200_000])
    }

    /// A log that is still written to keeps its reserved space unless the space exceeds the limit.
    @Test func littleIsNotWorthACut() throws {
        try writer.trimSpace(ifOver: LogSpaceTests.fullBytes, under: commitLock)
        #expect(try size == LogSpaceTests.fullBytes)
        try writer.trimSpace(ifOver: LogSpaceTests.fullBytes / 2, under: commitLock)
        #expect(try size == LogSpaceTests.restBytes)
        try writer.close(truncating: false)
    }

    /// A cut does not remove a record that is appended during the cut.
    @Test func anAppendAtTheSameMomentLosesNothing() throws {
        let isCutting = TestFlag()
        let hasAppended = Atomic(false)
        files.willPerform = { kind, _ in
            guard kind == .truncate else { return }
            isCutting.raise()
            // Until an append that does not wait for the cut has ended.
            _ = eventually(within: .milliseconds(50)) { hasAppended.load(ordering: .acquiring) }
        }
        let thread = try WorkerThread.start(name: "test-cut") { [writer, commitLock] in
            do { try writer.trimSpace(ifOver: 0, under: commitLock) } catch { Issue.record("\(error)") }
        }
        isCutting.waitUntilRaised()
        for value in 0..<6 {
            try append(1 << 20, UInt8(value))
            hasAppended.store(true, ordering: .releasing)
        }
        thread.join()
        files.willPerform = nil
        try append(1000, 7)
        try writer.close(truncating: false)
        #expect(try lengths() == [Int](repeating: 1 << 20, count: 6) + [1000])
    }

    @Test func aCutThatFailsLeavesTheLogUsable() throws {
        files.inject(FaultRule(on: [.truncate], when: .match(1), .error(5)))
        #expect(throws: IOFailure.self) { try giveBack() }
        #expect(writer.failure == nil)
        try append(6 << 20, 1)
        try writer.close(truncating: false)
        #expect(try lengths() == [6 << 20])
    }
}

/// A flag that another thread can wait for.
private final class TestFlag: Sendable {
    private let parker = Parker()

    func raise() { parker.unpark() }
    func waitUntilRaised() { parker.park() }
}
