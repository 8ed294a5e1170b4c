import ShaleBase
import ShalePlatform

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
