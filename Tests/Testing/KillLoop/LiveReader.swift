import ShaleBase
import ShaleEngine
import ShalePlatform
import TestSupport

/// A reader beside the killed processes and their successors: it refreshes and follows the changes while they write,
/// die and recover. No state goes back, and no change is missing: contract M-5, M-6.
final class LiveReader: Sendable {
    private struct State {
        var shown: UInt64 = 0
        var followed: UInt64 = 0
        var refreshes = 0
        var failure: (any Error)?
        var isStopping = false
    }

    private static let pauseNanoseconds: UInt64 = 1_000_000

    private let state: Locked<State>
    private let thread = Locked<WorkerThread?>(nil)

    /// Opens the store at `path`, which an owner has made.
    init(at path: String, _ options: Engine.Options) throws {
        var options = options
        options.mode = .readOnly
        let engine = try Engine.open(at: path, options: options)
        let changes = try engine.changeLog()
        let last = engine.statistics.lastSequence
        state = Locked(State(shown: last, followed: last))
        let reader = Locked<Engine?>(engine)
        let thread = try WorkerThread.start(name: "live-reader") { [self] in
            do {
                while !state.withLock({ $0.isStopping }) { try step(reader, changes) }
            } catch {
                state.withLock { $0.failure = error }
            }
            changes.cancel()
        }
        self.thread.withLock { $0 = thread }
    }

    private func step(_ reader: Locked<Engine?>, _ changes: Engine.ChangeLog) throws {
        guard let engine = try reader.withLock({ $0 })?.refreshed() else { return }
        reader.withLock { $0 = engine }
        let (before, followed) = state.withLock { ($0.shown, $0.followed) }
        let shown = engine.statistics.lastSequence
        guard shown >= before else { throw KillLoopError("a reader went back from \(before) to \(shown)") }
        var last = followed
        while let batch = try changes.nextAvailable() {
            guard !batch.isGap, batch.sequences.lowerBound == last + 1 else {
                throw KillLoopError("the change log has \(batch.sequences) after \(last), gap=\(batch.isGap)")
            }
            last = batch.sequences.upperBound
        }
        state.withLock { state in
            state.shown = shown
            state.followed = last
            state.refreshes += 1
        }
        let lock = Lock()
        let never = Condition(lock)
        _ = lock.withLock { never.timedWait(nanoseconds: LiveReader.pauseNanoseconds) }
    }

    /// Waits until the reader shows and has followed everything through `sequence`. Returns the number of refreshes.
    func check(through sequence: UInt64) throws -> Int {
        let hasArrived = try eventually {
            try state.withLock { state in
                if let failure = state.failure { throw failure }
                return state.shown >= sequence && state.followed >= sequence
            }
        }
        let (shown, followed, refreshes) = state.withLock { ($0.shown, $0.followed, $0.refreshes) }
        guard hasArrived, shown == sequence, followed == sequence else {
            throw KillLoopError("a reader shows \(shown) and followed \(followed), the store has \(sequence)")
        }
        return refreshes
    }

    func stop() {
        state.withLock { $0.isStopping = true }
        thread.withLock { $0.take() }?.join()
    }
}
