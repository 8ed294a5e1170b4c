import ShaleBase
import ShalePlatform

/// A batch that waits for the sync that covers it, and the thread that waits with it.
final class CommitMember: @unchecked Sendable {
    enum Outcome {
        case applied
        case failed(StorageError)
        /// Nothing has happened to the batch yet: lead the next sync.
        case lead
    }

    /// The batch in wire form, lent by the waiting thread's frame.
    let batch: Bytes
    let baseSequence: SequenceNumber
    let operationCount: Int
    /// The log's end behind this batch.
    let endOffset: UInt64

    /// Under the committer's lock: told to lead the next sync, and about to take the lock.
    var isPromoted = false

    /// Nil for the member that leads at once.
    private let parker: Parker?
    /// Written by the leader before it unparks, read by the owner after: ordered by the parker.
    private var outcome: Outcome = .lead

    init(batch: Bytes, baseSequence: SequenceNumber, operationCount: Int, endOffset: UInt64, waits: Bool) {
        self.batch = batch
        self.baseSequence = baseSequence
        self.operationCount = operationCount
        self.endOffset = endOffset
        parker = waits ? Parker() : nil
    }

    /// Called once by the leader, or twice when the first outcome is `.lead`.
    func finish(_ outcome: Outcome) {
        self.outcome = outcome
        parker?.unpark()
    }

    func wait() -> Outcome {
        parker?.park()
        return outcome
    }
}
