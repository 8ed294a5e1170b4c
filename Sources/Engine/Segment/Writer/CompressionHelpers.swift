import ShaleBase
import ShalePlatform

/// Threads that compress blocks for segment writers, beside the writers' own threads. May be shared by several writers; the threads
/// end with the last reference.
///
/// What is written does not depend on them: a writer takes its blocks back in order, and a block counts towards the file's
/// length when it does so, which is always so many blocks later.
package final class CompressionHelpers: Sendable, Equatable {
    let queue = CompressionQueue()
    private let threads: [WorkerThread]

    /// `threads`: how many, 1 or more; fewer when the system gives no more.
    package init(threads count: Int) {
        var threads: [WorkerThread] = []
        for _ in 0..<count {
            do throws(IOFailure) {
                threads.append(try WorkerThread.start(name: "shale-compress") { [queue] in queue.work() })
            } catch {
                // Writers do what nobody else does.
                break
            }
        }
        self.threads = threads
    }

    deinit {
        queue.end()
        for thread in threads { thread.join() }
    }

    /// Blocks that one writer may have under way: enough to keep all threads busy while it takes one back.
    var blocksMax: Int { 4 * (threads.count + 1) }

    package static func == (a: CompressionHelpers, b: CompressionHelpers) -> Bool { a === b }
}
