import ShaleBase
import ShalePlatform

/// A batch that waits for its sync, together with the thread that waits.
final class CommitMember: @unchecked Sendable {
    enum Outcome {
        case applied
        case failed(StorageError)
        /// The batch is unchanged: the member leads the next sync.
        case lead
    }

    /// The batch in wire form. The waiting thread's stack frame owns the bytes.
    let batch: Bytes
    let baseSequence: SequenceNumber
    let operationCount: Int
    /// The log's end offset after this batch.
    let endOffset: UInt64

    /// True once the member was told to lead the next sync and is about to take the committer's lock. Under that lock.
    var isPromoted = false

    /// Nil for the member that leads at once.
    private let parker: Parker?
    /// The leader writes it before it unparks the owner, and the owner reads it after. The parker orders the two.
    private var outcome: Outcome = .lead

    init(batch: Bytes, baseSequence: SequenceNumber, operationCount: Int, endOffset: UInt64, waits: Bool) {
        self.batch = batch
        self.baseSequence = baseSequence
        self.operationCount = operationCount
        self.endOffset = endOffset
        parker = waits ? Parker() : nil
    }

    /// Sets the outcome and wakes the member. Called once by the leader, or twice if the first outcome is `.lead`.
    func finish(_ outcome: Outcome) {
        self.outcome = outcome
        parker?.unpark()
    }

    func wait() -> Outcome {
        parker?.park()
        return outcome
    }
}
