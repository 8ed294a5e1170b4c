import ShaleBase
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
    func finish(_ task: BlockTask, _ encoder: BlockEncoder) {
        lock.lock()
        while task.state != .done { compressNext(encoder) }
        lock.unlock()
    }

    /// Runs the loop of a helper thread until the end.
    func work() {
        var encoder: (method: BlockCodec, object: BlockEncoder)?
        lock.lock()
        while !isEnding {
            guard let method = waiting.first?.method else {
                sleep()
                continue
            }
            if encoder?.method != method { encoder = (method, BlockEncoder(method)) }
            if let encoder { compressNext(encoder.object) }
        }
        lock.unlock()
    }

    /// Compresses the next block, or waits if there is none. The caller holds the lock, which is released during the
    /// compression.
    private func compressNext(_ encoder: BlockEncoder) {
        guard !waiting.isEmpty else { return sleep() }
        let task = waiting.removeFirst()
        task.state = .taken
        lock.unlock()
        task.encode(encoder)
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

/// A data block between its builder and its position in the file, while it is compressed. One thread uses it at a time:
/// the writer's, the compressing thread, then the writer's again. Its memory is reused for the next block.
final class BlockTask: @unchecked Sendable {
    enum State { case waiting, taken, done }

    /// Guarded by the queue's lock.
    var state = State.waiting

    /// The raw block from the builder.
    var raw = ByteBuffer()
    var method = BlockCodec.none
    var form = BlockForm()
    /// The block's index row, without its position.
    var statistics = BlockStatistics()
    var continues = false
    var separator = ByteBuffer()

    /// The encoded form of `raw`.
    private(set) var stored = ByteBuffer()
    private(set) var block = BlockEncoder.Block()
    /// The reason why `raw` could not be encoded.
    private(set) var failure: ParseFailure?

    func encode(_ encoder: BlockEncoder) {
        stored.removeAll()
        failure = nil
        do throws(ParseFailure) {
            block = try encoder.append(raw.bytes, count: Int(statistics.entryCount), form, to: &stored)
        } catch {
            failure = error
        }
    }
}

/// Threads that compress blocks for segment writers, in addition to the writers' own threads.
///
/// Several writers may share them. The threads end with the last reference.
///
/// The output does not depend on their timing: a writer takes its blocks back in order, always after the same number of
/// further blocks. Only then does a block count towards the file's length.
package final class CompressionHelpers: Sendable, Equatable {
    let queue = CompressionQueue()
    private let threads: [WorkerThread]

    /// Starts `threads` threads (at least 1), or fewer if the system refuses more.
    package init(threads count: Int) {
        var threads: [WorkerThread] = []
        for _ in 0..<count {
            do throws(IOFailure) {
                threads.append(try WorkerThread.start(name: "shale-compress") { [queue] in queue.work() })
            } catch {
                // The writers' own threads compress the rest.
                break
            }
        }
        self.threads = threads
    }

    deinit {
        queue.end()
        for thread in threads { thread.join() }
    }

    /// The number of blocks that one writer may have in flight: enough to keep all threads busy while it takes one
    /// back.
    var blocksMax: Int { 4 * (threads.count + 1) }

    package static func == (a: CompressionHelpers, b: CompressionHelpers) -> Bool { a === b }
}
