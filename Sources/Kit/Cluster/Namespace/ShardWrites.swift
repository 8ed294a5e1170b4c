import ShaleBase
import ShalePlatform

/// The writes of this client that wait for their shards. Thread-safe.
///
/// An OSD handles operations that compare the header of a shard one after the other, and each waits for all replicas.
/// So at most one write of this client is in flight for a shard, and those that come meanwhile are sent together in
/// the next operation:
///
/// 1. The task of the first write sends it. Further writes wait in order.
/// 2. When the operation has ended, the task of the first write that waits sends it with those behind it, up to the
///    limits of a batch. Their steps follow in order, so the last write of a key counts.
/// 3. An operation happens as a whole or not at all, so its outcome is that of each write in it.
final class ShardWrites: Sendable {
    private struct Waiting {
        let writes: EntryWrites
        let continuation: CheckedContinuation<Turn, Never>
    }

    private enum Turn {
        /// Another task has sent the write.
        case sent(Result<Bool, StorageError>)
        /// The task sends the write.
        case send
    }

    /// The writes that wait for a shard that has one in flight. A shard without one is missing.
    private let waiting = Locked<[Int: [Waiting]]>([:])

    /// The number of writes that wait for a shard.
    func waitingCount(_ shard: Int) -> Int { waiting.withLock { $0[shard]?.count ?? 0 } }

    /// Sends a write, alone or with others.
    ///
    /// - Parameter send: Sends writes in one operation, and returns for each of them true if it happened.
    /// - Returns: The result of `send` for this write.
    nonisolated(nonsending) func write(
        _ writes: EntryWrites, to shard: Int,
        send: ([EntryWrites]) async throws(StorageError) -> [Bool]
    ) async throws(StorageError) -> Bool {
        if Task.isCancelled { throw StorageError(.cancelled, "the task was cancelled") }
        if !begin(shard) {
            let turn = await withCheckedContinuation { continuation in
                let isFirst = waiting.withLock { waiting in
                    guard waiting[shard] != nil else {
                        waiting[shard] = []
                        return true
                    }
                    waiting[shard]?.append(Waiting(writes: writes, continuation: continuation))
                    return false
                }
                if isFirst { continuation.resume(returning: .send) }
            }
            if case .sent(let outcome) = turn { return try outcome.get() }
        }
        let others = takeOthers(beside: writes, shard)
        do throws(StorageError) {
            let outcomes = try await send([writes] + others.map(\.writes))
            for (other, outcome) in zip(others, outcomes.dropFirst()) {
                other.continuation.resume(returning: .sent(.success(outcome)))
            }
            end(shard)
            return outcomes[0]
        } catch {
            if error.code == .cancelled {
                // This task was cancelled, not those of the others.
                waiting.withLock { $0[shard, default: []].insert(contentsOf: others, at: 0) }
            } else {
                for other in others { other.continuation.resume(returning: .sent(.failure(error))) }
            }
            end(shard)
            throw error
        }
    }

    /// Returns true if the shard had no write in flight, and has this one now.
    private func begin(_ shard: Int) -> Bool {
        waiting.withLock { waiting in
            guard waiting[shard] == nil else { return false }
            waiting[shard] = []
            return true
        }
    }

    /// Removes the writes that fit into one operation with another one.
    private func takeOthers(beside writes: EntryWrites, _ shard: Int) -> [Waiting] {
        waiting.withLock { waiting in
            guard let all = waiting[shard], !all.isEmpty else { return [] }
            var (count, bytes) = (writes.count, writes.byteCount)
            let others = all.prefix { other in
                count += other.writes.count
                bytes += other.writes.byteCount
                return count <= ClusterLimits.changesInBatch && bytes <= ClusterLimits.bytesInBatch
            }
            waiting[shard]?.removeFirst(others.count)
            return Array(others)
        }
    }

    /// Lets the next write be sent.
    private func end(_ shard: Int) {
        let next = waiting.withLock { waiting -> Waiting? in
            guard let first = waiting[shard]?.first else {
                waiting[shard] = nil
                return nil
            }
            waiting[shard]?.removeFirst()
            return first
        }
        next?.continuation.resume(returning: .send)
    }
}
