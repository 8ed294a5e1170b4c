import ShaleBase
import ShalePlatform

/// What one read of a block needs for a moment: a decompressor and room for stored bytes.
final class ReadScratch {
    let decompressor = Decompressor()
    var buffer = ByteBuffer()
}

/// Scratch for readers, kept between reads. Thread-safe; a scratch is used by one thread at a time.
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
