import Posix

/// The commits per second that the device makes durable, without any other work.
///
/// One member of a group leads it: the group takes one `pwrite` into preallocated space and one `fdatasync`.
struct SyncRoofline {
    let directory: String
    let recordBytes: Int

    /// Returns the commits per second of `threads` threads that make `commits` commits together.
    func measure(threads: Int, commits: Int) throws -> Double {
        let file = try PreallocatedFile(path: directory + "/roofline", byteCount: (commits + threads) * recordBytes)
        let log = GroupCommitLog(file: file, recordBytes: recordBytes, threads: threads)
        let share = max(1, commits / threads)
        let began = Clock.now
        _ = try Threads.run(threads) { _ in
            let parking = Parking()
            for _ in 0..<share { try log.commit(parking) }
        }
        return Double(share * threads) / Clock.seconds(since: began)
    }
}

/// The minimal group commit.
private final class GroupCommitLog: @unchecked Sendable {
    private enum Word {
        static let done = 1
        static let lead = 2
        static let failed = 3
    }

    private let file: PreallocatedFile
    private let recordBytes: Int
    /// The records of a group of maximal size.
    private let records: [UInt8]
    private let monitor = Monitor()

    // Under `monitor`.
    private var queue: [Parking] = []
    private var hasLeader = false
    private var offset = 0

    init(file: PreallocatedFile, recordBytes: Int, threads: Int) {
        self.file = file
        self.recordBytes = recordBytes
        records = [UInt8](repeating: 0x5a, count: recordBytes * threads)
        queue.reserveCapacity(threads)
    }

    func commit(_ parking: Parking) throws {
        monitor.lock()
        queue.append(parking)
        if hasLeader {
            monitor.unlock()
            switch parking.wait() {
            case Word.done: return
            case Word.failed: throw BenchError("another thread's sync failed")
            default: monitor.lock()
            }
        }
        hasLeader = true
        let group = queue
        queue.removeAll(keepingCapacity: true)
        let start = offset
        offset += group.count * recordBytes
        monitor.unlock()
        let outcome = Result { try writeGroup(of: group.count, at: start) }
        handOver(group, except: parking, isDone: (try? outcome.get()) != nil)
        try outcome.get()
    }

    private func writeGroup(of count: Int, at start: Int) throws {
        try unsafe records.withUnsafeBytes { records in
            try unsafe file.write(UnsafeRawBufferPointer(rebasing: records[0..<count * recordBytes]), at: start)
        }
        try file.sync()
    }

    /// Wakes the next leader first, so that its sync is in flight before this group's members wake up.
    private func handOver(_ group: [Parking], except leader: Parking, isDone: Bool) {
        monitor.lock()
        let next = queue.first
        hasLeader = next != nil
        monitor.unlock()
        next?.wake(Word.lead)
        for member in group where member !== leader { member.wake(isDone ? Word.done : Word.failed) }
    }
}

/// The minimal cost of recovery from a log: reading its records from the page cache and copying each to fresh memory.
struct LogRoofline {
    private static let pieceBytes = 1 << 20

    let directory: String
    let recordBytes: Int
    let records: Int

    /// Returns the rate in logs per second.
    func measure(passes: Int) throws -> Double {
        let piece = max(1, LogRoofline.pieceBytes / recordBytes)
        let pieces = (records + piece - 1) / piece
        let file = try PreallocatedFile(path: directory + "/roofline", byteCount: pieces * piece * recordBytes)
        let content = [UInt8](repeating: 0x5a, count: piece * recordBytes)
        for index in 0..<pieces {
            try unsafe content.withUnsafeBytes { try unsafe file.write($0, at: index * content.count) }
        }
        var best = Double.infinity
        for _ in 0..<passes { best = min(best, try pass(file, piece, pieces)) }
        return 1 / best
    }

    private func pass(_ file: PreallocatedFile, _ piece: Int, _ pieces: Int) throws -> Double {
        let pieceBytes = piece * recordBytes
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: pieceBytes, alignment: 64)
        let arenaBytes = pieces * pieceBytes
        let began = Clock.now
        let arena = UnsafeMutableRawPointer.allocate(byteCount: arenaBytes, alignment: 64)
        defer {
            unsafe buffer.deallocate()
            unsafe arena.deallocate()
        }
        var target = unsafe arena
        for index in 0..<pieces {
            let count = unsafe pread(file.descriptor, buffer, pieceBytes, off_t(index * pieceBytes))
            guard count == pieceBytes else { throw SystemCallError("pread", file.path) }
            for record in 0..<piece {
                unsafe memcpy(target, buffer + record * recordBytes, recordBytes)
                unsafe target += recordBytes
            }
        }
        return Clock.seconds(since: began)
    }
}
