import ShalePlatform

/// Blocks that wait for compression, the oldest first. Thread-safe.
final class CompressionQueue: @unchecked Sendable {
    private let lock = Lock()
    /// Signalled if a block can be taken, if one is done, and at the end.
    private let changed: Condition

    // Under `lock`.
    private var waiting: [BlockTask] = []
    private var sleepers = 0
    private var isEnding = false

    init() { changed = Condition(lock) }

    func add(_ task: BlockTask) {
        lock.withLock {
            task.state = .waiting
            waiting.append(task)
            if sleepers > 0 { changed.broadcast() }
        }
    }

    /// Waits until `task` is compressed. Meanwhile the caller compresses waiting blocks.
    func finish(_ task: BlockTask, _ compressor: Compressor) {
        lock.lock()
        while task.state != .done { compressNext(compressor) }
        lock.unlock()
    }

    /// Runs the loop of a helper thread until the end.
    func work() {
        var compressor: (method: BlockCodec, object: Compressor)?
        lock.lock()
        while !isEnding {
            guard let method = waiting.first?.method else {
                sleep()
                continue
            }
            if compressor?.method != method { compressor = (method, Compressor(method)) }
            if let compressor { compressNext(compressor.object) }
        }
        lock.unlock()
    }

    /// Compresses the next block, or waits if there is none. The caller holds the lock, which is released during the
    /// compression.
    private func compressNext(_ compressor: Compressor) {
        guard !waiting.isEmpty else { return sleep() }
        let task = waiting.removeFirst()
        task.state = .taken
        lock.unlock()
        task.compress(compressor)
        lock.lock()
        task.state = .done
        if sleepers > 0 { changed.broadcast() }
    }

    private func sleep() {
        sleepers += 1
        changed.wait()
        sleepers -= 1
    }

    func end() {
        lock.withLock {
            isEnding = true
            changed.broadcast()
        }
    }
}
