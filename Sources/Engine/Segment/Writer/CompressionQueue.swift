import ShalePlatform

/// Blocks that wait for somebody to compress them, the oldest first. Thread-safe.
final class CompressionQueue: @unchecked Sendable {
    private let lock = Lock()
    /// Signalled when there is a block to take, when one is done, and at the end.
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

    /// Returns when `task` is compressed. Until then the caller compresses what waits.
    func finish(_ task: BlockTask, _ compressor: Compressor) {
        lock.lock()
        while task.state != .done { compressNext(compressor) }
        lock.unlock()
    }

    /// What a helper does until the end.
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

    /// The lock is held, and given back while a block is compressed. Waits when there is none.
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
