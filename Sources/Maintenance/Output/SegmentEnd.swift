import ShaleBase
import ShalePlatform
import ShaleSegment

/// A full segment that another thread finishes (last blocks, filter, index and sync) while the next segment is filled.
final class SegmentEnd: Sendable {
    private enum State {
        case running
        case finished(SegmentMetadata)
        case failed(StorageError)
    }

    /// No other thread uses the writer from here on.
    @safe
    private struct Handover: @unchecked Sendable {
        let writer: SegmentWriter
    }

    private let handover: Handover
    private let state: Guarded<State>
    private let thread: WorkerThread?

    /// Starts to finish `writer`. If the system can't start a thread, this call finishes it.
    init(_ writer: SegmentWriter, createdMilliseconds: Int64) {
        let handover = Handover(writer: writer)
        let state = Guarded(State.running)
        let finish: @Sendable () -> Void = {
            let end: State
            do throws(StorageError) {
                end = .finished(try handover.writer.finish(createdMilliseconds: createdMilliseconds))
            } catch {
                end = .failed(error)
            }
            state.withLock { $0 = end }
        }
        self.handover = handover
        self.state = state
        do throws(IOFailure) {
            thread = try WorkerThread.start(name: "shale-segment", finish)
        } catch {
            thread = nil
            finish()
        }
    }

    /// Waits until the segment's content is durable.
    func wait() throws(StorageError) -> SegmentMetadata {
        thread?.join()
        switch state.withLock({ $0 }) {
        case .finished(let metadata): return metadata
        case .failed(let error): throw error
        case .running: throw .invalid("a segment's thread has ended without a result")
        }
    }

    /// Waits, and removes the file of a segment that failed. Finished segments are removed by name.
    func abandon() {
        thread?.join()
        if case .failed = state.withLock({ $0 }) { handover.writer.abandon() }
    }
}
