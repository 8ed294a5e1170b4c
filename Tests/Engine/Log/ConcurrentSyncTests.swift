import ShaleBase
import ShaleLog
import ShalePlatform
import Testing

@Suite struct ConcurrentSyncTests {
    /// Also runs under the thread sanitizer: the lock guards everything but `sync`.
    @Test func syncRunsWhileRecordsAreAppended() async throws {
        let log = try TestLog(preallocate: 1 << 16)
        let writer = log.writer
        let lock = Lock()
        let recordCount = 3000
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for index in 0..<recordCount {
                    let memory = OwnedBytes(TestLog.record(index, 40))
                    let error = lock.withLock {
                        withExtendedLifetime(memory) {
                            failure { () throws(IOFailure) in try writer.append(memory.bytes) }
                        }
                    }
                    #expect(error == nil)
                }
            }
            group.addTask {
                for _ in 0..<300 {
                    let end = lock.withLock { writer.endOffset }
                    #expect(failure { () throws(IOFailure) in try writer.sync() } == nil)
                    #expect(writer.failure == nil)
                    lock.withLock { writer.markSynced(through: end) }
                }
            }
        }
        let result = TestLog.read(log.content)
        #expect(result.error == nil)
        #expect(result.records.count == recordCount)
        #expect(result.end?.offset == writer.endOffset)
    }
}

private func failure(_ body: () throws(IOFailure) -> Void) -> IOFailure? {
    do {
        try body()
        return nil
    } catch {
        return error
    }
}
