import ShaleBase
import ShaleLog
import ShaleManifest
import ShalePlatform
import ShaleSimulation
import Testing

@testable import ShaleEngine

/// The file prepared for the next log.
@Suite struct SpareLogTests {
    private static let restBytes: UInt64 = 1 << 20
    private static let firstBytes: UInt64 = 4 << 20
    private static let fullBytes: UInt64 = 64 << 20

    private let files = SimulatedFileSystem(quota: 100 << 20)
    private let directory: any Directory
    private let spare: SpareLog

    init() throws {
        directory = try files.openDirectory("/wal", create: true)
        spare = SpareLog(
            directory: directory, numbers: FileNumbers(next: 7), restBytes: SpareLogTests.restBytes,
            firstBytes: SpareLogTests.firstBytes, fullBytes: SpareLogTests.fullBytes, isMapped: true)
    }

    private func sizes() throws -> [UInt64] { try directory.list().map { try directory.sizeOfFile($0) } }

    private func take(after log: LogWriter? = nil) throws -> LogWriter {
        try spare.take(
            previous: log.map { LogPredecessor(number: $0.number, size: $0.endOffset, lastSequence: 0) } ?? .none)
    }

    private var asksForAttention: Bool { spare.wakeup.park(nanoseconds: 0) }

    @Test func itGrowsForBusyWritersAndShrinksAtRest() throws {
        try spare.refill(.slow)
        #expect(try sizes() == [SpareLogTests.firstBytes])
        try spare.refill(.busy)
        #expect(try sizes() == [SpareLogTests.fullBytes])
        try spare.refill(.busy)
        try spare.refill(.slow)
        #expect(try sizes() == [SpareLogTests.firstBytes])
        try spare.refill(.none)
        #expect(try sizes() == [SpareLogTests.restBytes])
        try spare.refill(.slow)
        #expect(try sizes() == [SpareLogTests.restBytes], "pauses of a slow writer cost nothing")
        try spare.refill(.busy)
        #expect(try sizes() == [SpareLogTests.fullBytes])
        #expect(try directory.list() == [StoreLayout.log(7)], "it is the same file all the time")
        try spare.close()
        #expect(try directory.list().isEmpty)
    }

    @Test func aLogHasTheSpaceThatItsFileHad() throws {
        try spare.refill(.busy)
        let log = try take()
        #expect(try sizes() == [SpareLogTests.fullBytes])
        try spare.refill(.slow)
        let next = try take(after: log)
        #expect(try sizes() == [SpareLogTests.fullBytes, SpareLogTests.firstBytes])
        let record = OwnedBytes(count: 1 << 20)
        record.mutable.zero(0, record.bytes.count)
        for _ in 0..<6 { try next.append(record.bytes) }
        #expect(try sizes()[1] == SpareLogTests.firstBytes + (16 << 20), "one that was cut grows again")
        for log in [log, next] { try log.close(truncating: false) }
    }

    /// The thread that reserves space is notified if a spare is missing and if a log runs short.
    @Test func itAsksForAttention() throws {
        let log = try take()
        #expect(asksForAttention)
        #expect(!asksForAttention)
        let record = OwnedBytes(count: 1 << 20)
        record.mutable.zero(0, record.bytes.count)
        try log.append(record.bytes)
        #expect(!asksForAttention, "there is enough")
        for _ in 0..<2 { try log.append(record.bytes) }
        #expect(asksForAttention)
        try log.close(truncating: false)
    }

    /// A refill that did not fit is not retried before a rotation has succeeded; surplus space is still released.
    @Test func aFullDiskKeepsTheSmallSpare() throws {
        files.setQuota(20 << 20)
        try spare.refill(.slow)
        let failure = #expect(throws: StorageError.self) { try spare.refill(.busy) }
        #expect(failure?.code == .noSpace)
        try spare.refill(.busy)
        #expect(try sizes() == [SpareLogTests.firstBytes])
        let log = try take()
        files.setQuota(100 << 20)
        try spare.refill(.busy)
        #expect(try sizes() == [SpareLogTests.firstBytes, SpareLogTests.fullBytes])
        files.setQuota(20 << 20)
        try spare.refill(.slow)
        #expect(try sizes() == [SpareLogTests.firstBytes, SpareLogTests.firstBytes])
        try log.close(truncating: false)
    }

    /// The file of a first log is removed if there was no space for the edit that should name it.
    @Test func aFirstLogThatNoManifestNamesIsRemoved() throws {
        #expect(try spare.prepareFirst() == 7)
        #expect(try directory.list() == [StoreLayout.log(7)])
        try spare.discardFirst()
        #expect(try directory.list().isEmpty)
        let log = try take()
        #expect(log.number == 8)
        #expect(try directory.list() == [StoreLayout.log(8)])
        try log.close(truncating: false)
    }

    @Test func aCutThatFailsIsAnErrorOnce() throws {
        try spare.refill(.busy)
        files.inject(FaultRule(on: [.truncate], when: .match(1), .error(5)))
        #expect(throws: StorageError.self) { try spare.refill(.slow) }
        try spare.refill(.slow)
        let log = try take()
        #expect(log.number == 7)
        try log.close(truncating: false)
    }
}

@Suite struct WriteActivityTests {
    private static let millisecond: UInt64 = 1_000_000

    @Test func aBurstIsSeenAtOnceAndItsEndAfterAPeriod() {
        var activity = WriteActivity()
        let looks: [(written: UInt64, milliseconds: UInt64)] = [
            (0, 0), (100, 100), (2 << 20, 105), (2 << 20, 205), (2 << 20, 305),
        ]
        let levels = looks.map { activity.observe($0.written, at: $0.milliseconds * WriteActivityTests.millisecond) }
        #expect(levels == [.slow, .slow, .busy, .busy, .none])
    }

    /// A slow writer does not cause a whole log's space to be reserved, however long it writes.
    @Test func aTrickleIsNoBurst() {
        var activity = WriteActivity()
        for look in 0..<200 as Range<UInt64> {
            let level = activity.observe(look * (100 << 10), at: look * 100 * WriteActivityTests.millisecond)
            #expect(level == .slow)
        }
    }

    @Test func steadyWritersStayBusyAtEveryLook() {
        var activity = WriteActivity()
        _ = activity.observe(0, at: 0)
        for look in 1..<200 as Range<UInt64> {
            let level = activity.observe(look * (1 << 20), at: look * 50 * WriteActivityTests.millisecond)
            #expect(level == .busy)
        }
    }

    @Test func restEndsWithTheFirstWrite() {
        var activity = WriteActivity()
        let looks: [(written: UInt64, milliseconds: UInt64)] = [
            (0, 0), (0, 200), (1, 210), (1, 350), (1, 450), (1, 700),
        ]
        let levels = looks.map { activity.observe($0.written, at: $0.milliseconds * WriteActivityTests.millisecond) }
        #expect(levels == [.slow, .none, .slow, .slow, .slow, .none])
    }
}
