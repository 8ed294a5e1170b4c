import ShaleBase
import ShalePlatform
import ShaleSegment
import Synchronization

/// One verification of several segments on several threads, of which the caller's is one.
///
/// The unit is a stretch of some MiB of one segment, so that all threads are busy to the end, whatever the segments' sizes.
/// What is found does not depend on who comes first: of each segment the problem at the lowest place counts, and
/// segments are listed in order. Memory: a piece of 1 MiB and a block for each thread, and the segments' indexes and filters.
final class SegmentVerification: @unchecked Sendable {
    private struct Stretch {
        let segment: Int
        let number: Int
        let blocks: Range<Int>
    }

    private struct Failure {
        let stretch: Int
        let error: StorageError
    }

    private static let stretchBytes: UInt64 = 4 << 20
    private static let threadsMax = 64
    /// Progress is told about as often.
    private static let toldBytes: UInt64 = 1 << 20

    /// What is wrong with one file and says nothing of the next: damage, a file that is gone, or of a later version.
    /// Anything else, the machine's troubles and the caller's wish to stop, ends a verification.
    private static let verifiable: Set<StorageError.Code> = [.corruption, .missing, .newerFormat]

    private let segments: [Segment]
    private let readBytes = Atomic<UInt64>(0)
    private let isStopping = Atomic<Bool>(false)
    private let lock = Lock()
    private let changed: Condition

    // Under `lock`.
    private var nextSegment = 0
    /// Segments that somebody is opening, whose stretches are not known yet.
    private var opening = 0
    private var stretches: [Stretch] = []
    private var failures: [Int: Failure] = [:]
    private var helpers = 0

    init(_ segments: [Segment]) {
        self.segments = segments
        changed = Condition(lock)
    }

    /// Returns one problem for each segment that has some. `progress` is called on this thread only; what it throws ends
    /// everything.
    func run(
        threads: Int, _ progress: (UInt64) throws(StorageError) -> Void
    ) throws(StorageError) -> [StorageError] {
        let threads = startHelpers(min(threads, SegmentVerification.threadsMax) - 1)
        defer { for thread in threads { thread.join() } }
        do {
            try work(progress)
            try waitForHelpers(progress)
        } catch {
            stop()
            throw error
        }
        let found = failures.sorted { $0.key < $1.key }.map(\.value.error)
        if let trouble = found.first(where: { !SegmentVerification.verifiable.contains($0.code) }) { throw trouble }
        return found
    }

    /// Fewer where the system gives no more: this thread does the rest.
    private func startHelpers(_ count: Int) -> [WorkerThread] {
        var threads: [WorkerThread] = []
        while threads.count < count {
            lock.withLock { helpers += 1 }
            do throws(IOFailure) {
                threads.append(try WorkerThread.start(name: "shale-verify") { [self] in help() })
            } catch {
                lock.withLock { helpers -= 1 }
                return threads
            }
        }
        return threads
    }

    private func help() {
        while let stretch = next() { verify(stretch) { _ in } }
        lock.withLock {
            helpers -= 1
            changed.broadcast()
        }
    }

    private func work(_ progress: (UInt64) throws(StorageError) -> Void) throws(StorageError) {
        var told: UInt64 = 0
        var cancellation: StorageError?
        while cancellation == nil, let stretch = next() {
            verify(stretch) { (bytes) throws(StorageError) in
                guard bytes - told >= SegmentVerification.toldBytes else { return }
                told = bytes
                do throws(StorageError) {
                    try progress(bytes)
                } catch {
                    cancellation = error
                    throw error
                }
            }
        }
        if let cancellation { throw cancellation }
    }

    private func waitForHelpers(_ progress: (UInt64) throws(StorageError) -> Void) throws(StorageError) {
        while lock.withLock({
            if helpers > 0 { _ = changed.timedWait(nanoseconds: 50_000_000) }
            return helpers > 0
        }) { try progress(readBytes.load(ordering: .relaxed)) }
        try progress(readBytes.load(ordering: .relaxed))
    }

    private func stop() { isStopping.store(true, ordering: .relaxed) }

    // MARK: Stretches

    /// What to verify next; nil when there is nothing more.
    private func next() -> Stretch? {
        lock.lock()
        defer { lock.unlock() }
        while !isStopping.load(ordering: .relaxed) {
            if !stretches.isEmpty {
                let stretch = stretches.removeFirst()
                // Something lower in the file counts, whatever is found here.
                if let failure = failures[stretch.segment], failure.stretch < stretch.number { continue }
                return stretch
            }
            if nextSegment < segments.count {
                open()
            } else if opening > 0 {
                changed.wait()
            } else {
                return nil
            }
        }
        return nil
    }

    /// Adds the next segment's stretches. Gives the lock, which is held, free meanwhile.
    private func open() {
        let number = nextSegment
        nextSegment += 1
        opening += 1
        lock.unlock()
        var found: [Range<Int>] = []
        var failure: StorageError?
        do throws(StorageError) {
            found = try segments[number].stretches(ofBytes: SegmentVerification.stretchBytes)
        } catch {
            failure = error
        }
        lock.lock()
        opening -= 1
        for (index, blocks) in found.enumerated() {
            stretches.append(Stretch(segment: number, number: index, blocks: blocks))
        }
        if let failure { note(Failure(stretch: 0, error: failure), number) }
        changed.broadcast()
    }

    private func verify(_ stretch: Stretch, _ progress: (UInt64) throws(StorageError) -> Void) {
        do throws(StorageError) {
            try segments[stretch.segment].verify(blocks: stretch.blocks) { (bytes) throws(StorageError) in
                let (_, sum) = readBytes.add(bytes, ordering: .relaxed)
                try progress(sum)
                if isStopping.load(ordering: .relaxed) { throw StorageError(.cancelled, "somebody has stopped it") }
            }
        } catch {
            if error.code == .cancelled { return }
            lock.withLock { note(Failure(stretch: stretch.number, error: error), stretch.segment) }
        }
    }

    /// The lock is held.
    private func note(_ failure: Failure, _ segment: Int) {
        if let known = failures[segment], known.stretch < failure.stretch { return }
        failures[segment] = failure
        if !SegmentVerification.verifiable.contains(failure.error.code) { stop() }
    }
}
