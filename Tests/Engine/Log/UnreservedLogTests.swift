import ShaleBase
import ShaleLog
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

/// A log over files whose reservations are unsupported, cut short, or made in two steps.
@Suite struct UnreservedLogTests {
    private let commitLock = Lock()

    private func writer(_ file: ReservingFile, preallocated: UInt64 = 1 << 20) throws -> LogWriter {
        try file.preallocate(preallocated)
        return try LogWriter(
            file: file, number: TestLog.number, kind: .wal, previous: .none, preallocated: preallocated, isMapped: true)
    }

    private func append(_ count: Int, _ log: LogWriter) throws(IOFailure) {
        let record = OwnedBytes([UInt8](repeating: 7, count: count))
        try commitLock.withLock { () throws(IOFailure) in try log.append(record.bytes) }
    }

    private func lengths(_ file: ReservingFile) throws -> [Int] {
        let result = TestLog.read(file.content)
        if let error = result.error { throw error }
        #expect(result.end?.tornBytes == 0)
        return result.records.map(\.count)
    }

    // MARK: Unsupported

    @Test func withoutReservationsNothingIsMappedReservedOrCut() throws {
        let file = ReservingFile(.unsupported)
        let log = try writer(file)
        for count in [100, 3 << 20, 200] {
            try append(count, log)
            try log.reserveAhead(upTo: 8 << 20, all: true, under: commitLock)
            try log.trimSpace(ifOver: 0, under: commitLock)
            #expect(UInt64(file.content.count) == log.endOffset)
        }
        #expect(file.truncations.isEmpty && file.windowCount == 0)
        try log.close(truncating: true)
        #expect(try lengths(file) == [100, 3 << 20, 200])
    }

    /// A write discovers a full disk. The log then removes the written part of the record and stays usable.
    @Test(arguments: [50, 1000, 40_000, 3 << 20]) func aRecordThatFindsNoSpaceHasNotHappened(count: Int) throws {
        let file = ReservingFile(.unsupported)
        let log = try writer(file)
        try append(100, log)
        for room in [0, 1, 19, count / 2, count] {
            let end = log.endOffset
            file.capacity = Int(end) + room
            let error = #expect(throws: IOFailure.self) { try append(count, log) }
            #expect(error?.isOutOfSpace == true && log.failure == nil)
            #expect(log.endOffset == end && UInt64(file.content.count) == end)
        }
        file.capacity = .max
        try append(count, log)
        try log.close(truncating: false)
        #expect(try lengths(file) == [100, count])
    }

    /// If the written part can't be removed, the content of the log is unknown and the log fails.
    @Test func aPartThatStaysIsAFailure() throws {
        let file = ReservingFile(.unsupported)
        let log = try writer(file)
        try append(100, log)
        file.capacity = Int(log.endOffset) + 10
        file.truncationError = EIO
        #expect(throws: IOFailure.self) { try append(1000, log) }
        #expect(log.failure != nil)
    }

    /// A copy-on-write file system may lack the space to remove the written part. The part is removed before the next
    /// record.
    @Test(arguments: [1000, 40_000, 3 << 20])
    func aPartThatStaysForLackOfSpaceIsRemovedBeforeTheNextRecord(count: Int) throws {
        let file = ReservingFile(.unsupported)
        let log = try writer(file)
        try append(100, log)
        let end = log.endOffset
        file.capacity = Int(end) + count / 2
        file.truncationError = ENOSPC
        for refused in [count, 50] {
            let error = #expect(throws: IOFailure.self) { try append(refused, log) }
            #expect(error?.isOutOfSpace == true && log.failure == nil)
            #expect(log.endOffset == end && UInt64(file.content.count) == end + UInt64(count / 2))
            #expect(TestLog.read(file.content).records.map(\.count) == [100])
        }
        try log.sync()
        file.capacity = .max
        #expect(throws: IOFailure.self) { try append(50, log) }
        file.truncationError = nil
        try append(50, log)
        #expect(file.truncations == [Int(end)] && UInt64(file.content.count) == log.endOffset)
        try log.close(truncating: false)
        #expect(try lengths(file) == [100, 50])
    }

    @Test func aTruncationThatFindsNoSpaceDoesNotFailClosing() throws {
        let file = ReservingFile(.unsupported)
        let log = try writer(file)
        try append(100, log)
        file.truncationError = ENOSPC
        try log.close(truncating: true)
        #expect(try lengths(file) == [100])
    }

    // MARK: Partial

    /// A failed reservation has appended as many zeros as fit; zeros are not content.
    @Test func aReservationThatFailsHalfWayChangesNothing() throws {
        let file = ReservingFile(.partial)
        let log = try writer(file)
        file.capacity = 3 << 20
        try append(1 << 20, log)
        #expect(throws: IOFailure.self) { try append(4 << 20, log) }
        #expect(log.failure == nil && file.content.count == 3 << 20)
        try append(1 << 20, log)
        file.capacity = .max
        try append(4 << 20, log)
        try log.close(truncating: false)
        #expect(try lengths(file) == [1 << 20, 1 << 20, 4 << 20])
    }

    // MARK: In two steps

    /// As on Darwin: a reservation reads the size first and sets it later. It must not cut off records that are
    /// appended in between.
    @Test func anAppendWaitsForAReservationThatHasLookedAtTheSize() throws {
        let file = ReservingFile(.inSteps)
        let log = try writer(file)
        file.isHeldUp = true
        let thread = try WorkerThread.start(name: "test-reserve") { [commitLock] in
            do {
                try log.reserveAhead(upTo: 2 << 20, all: true, under: commitLock)
            } catch {
                Issue.record("\(error)")
            }
        }
        file.waitUntilHeldUp()
        for _ in 0..<6 { try append(1 << 20, log) }
        thread.join()
        #expect(!file.hasOverlapped)
        try log.close(truncating: false)
        #expect(try lengths(file) == [Int](repeating: 1 << 20, count: 6))
    }
}

/// A file in memory whose reservations behave as on certain file systems.
private final class ReservingFile: WritableFile, @unchecked Sendable {
    enum Manner { case unsupported, partial, inSteps }

    private struct State {
        var content: [UInt8] = []
        var truncations: [Int] = []
        var reservations = 0
    }

    let name = TestLog.name
    private let manner: Manner
    private let state = Locked(State())
    private let heldUp = Parker()
    // The test's thread sets these while no other thread uses them.
    var capacity = Int.max
    var truncationError: Int32?
    var isHeldUp = false
    private(set) var windowCount = 0
    private(set) var hasOverlapped = false

    init(_ manner: Manner) { self.manner = manner }

    var content: [UInt8] { state.withLock { $0.content } }
    var truncations: [Int] { state.withLock { $0.truncations } }
    var keepsReservations: Bool { manner != .unsupported }

    func waitUntilHeldUp() { heldUp.park() }

    func preallocate(_ size: UInt64) throws(IOFailure) {
        guard manner != .unsupported else { return }
        let found = state.withLock { state in
            state.reservations += 1
            if state.reservations > 1 { hasOverlapped = true }
            return state.content.count
        }
        defer { state.withLock { $0.reservations -= 1 } }
        if isHeldUp {
            isHeldUp = false
            heldUp.unpark()
            // Until an append that does not wait has ended.
            _ = eventually(within: .milliseconds(50)) { state.withLock { $0.content.count } > found }
        }
        guard Int(size) > found else { return }
        let fitting = min(Int(size), max(capacity, found))
        // Sets the size, even if the file has grown meanwhile.
        state.withLock { resize(&$0.content, fitting) }
        if fitting < Int(size) { throw IOFailure("preallocate", name, 28) }
    }

    func window(offset: UInt64, count: Int) -> FileWindow? {
        windowCount += 1
        return nil
    }

    func write(_ bytes: Bytes, at offset: UInt64) throws(IOFailure) {
        let end = Int(offset) + bytes.count
        let fitting = bytes.slice(0, max(0, min(bytes.count, capacity - Int(offset)))).array()
        state.withLock { state in
            if fitting.isEmpty { return }
            let reached = Int(offset) + fitting.count
            if state.content.count < reached { resize(&state.content, reached) }
            state.content.replaceSubrange(Int(offset)..<reached, with: fitting)
        }
        if end > capacity { throw IOFailure("write", name, 28) }
    }

    func truncate(to size: UInt64) throws(IOFailure) {
        if let truncationError { throw IOFailure("truncate", name, truncationError) }
        state.withLock { state in
            if Int(size) != state.content.count { state.truncations.append(Int(size)) }
            resize(&state.content, Int(size))
        }
    }

    private func resize(_ content: inout [UInt8], _ size: Int) {
        if size < content.count {
            content.removeLast(content.count - size)
        } else {
            content += [UInt8](repeating: 0, count: size - content.count)
        }
    }

    func sync() {}
    func close() {}
}
