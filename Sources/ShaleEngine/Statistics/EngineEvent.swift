public import ShaleBase
import ShaleCompaction
import ShalePlatform
import ShaleSegment
import Synchronization

/// Something that the engine did in the background.
public enum EngineEvent: Sendable {
    case flushed(entries: Int, nanoseconds: UInt64)
    case compacted(CompactionEvent)
    /// Work failed and will be tried again, or the log failed and the engine is poisoned.
    case backgroundFailure(StorageError)
}

/// A finished compaction.
public struct CompactionEvent: Sendable, Hashable {
    /// merge, move, drop or rewrite.
    public let kind: String
    public let inputSegments: Int
    public let outputLevel: Int
    public let readBytes: UInt64
    public let writtenBytes: UInt64
    public let nanoseconds: UInt64
}

/// Hands events to all streams.
final class EventHub: Sendable {
    private static let bufferMax = 256

    private let continuations = Guarded<[Int: AsyncStream<EngineEvent>.Continuation]>([:])
    private let nextID = Atomic<Int>(0)

    deinit { for continuation in continuations.withLock({ $0.values }) { continuation.finish() } }

    func stream() -> AsyncStream<EngineEvent> {
        let id = nextID.wrappingAdd(1, ordering: .relaxed).newValue
        let (stream, continuation) = AsyncStream<EngineEvent>.makeStream(
            bufferingPolicy: .bufferingNewest(EventHub.bufferMax))
        continuations.withLock { $0[id] = continuation }
        continuation.onTermination = { [weak self] _ in self?.continuations.withLock { $0[id] = nil } }
        return stream
    }

    func send(_ event: EngineEvent) {
        for continuation in continuations.withLock({ Array($0.values) }) { continuation.yield(event) }
    }
}
