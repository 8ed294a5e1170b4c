import ShaleBase
import ShalePlatform

/// The temporary resources of one block read: a decompressor and a buffer for stored bytes.
final class ReadScratch {
    let decompressor = Decompressor()
    var buffer = ByteBuffer()
}

/// A pool of ``ReadScratch``, reused between reads. Thread-safe; one thread uses a scratch at a time.
final class ReadScratchPool: @unchecked Sendable {
    private let lock = Lock()
    private var idle: [ReadScratch] = []

    private static let idleMax = 64
    /// Larger buffers come from single huge blocks and are not kept.
    private static let keptBytesMax = 256 << 10

    func take() -> ReadScratch { lock.withLock { idle.popLast() } ?? ReadScratch() }

    func put(_ scratch: ReadScratch) {
        guard scratch.buffer.capacity <= ReadScratchPool.keptBytesMax else { return }
        scratch.buffer.removeAll()
        lock.withLock {
            if idle.count < ReadScratchPool.idleMax { idle.append(scratch) }
        }
    }
}
