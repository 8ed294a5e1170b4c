import ShaleBase
import ShaleLog
import Testing

@Suite struct LogWriterFailureTests {
    private static let noSpace: Int32 = 28
    private static let ioError: Int32 = 5

    @Test func afterAFailedWriteNothingIsWritten() throws {
        var log = try TestLog()
        try log.append(count: 10)
        let end = log.writer.endOffset
        let before = log.content
        log.directory.fail("write")
        let first = try #require(throws: IOFailure.self) { try log.append(count: 20) }
        log.directory.heal()
        #expect(log.writer.failure == first)
        for size in [5, 100_000] {
            #expect(throws: first) { try log.append(count: size) }
        }
        #expect(throws: first) { try log.writer.appendMark() }
        #expect(throws: first) { try log.writer.sync() }
        #expect(log.writer.endOffset == end)
        #expect(log.content == before)
        #expect(log.directory.syncCount == 0)
    }

    @Test func aFailedPieceOfALongRecordLeavesTheEndWhereItWas() throws {
        var log = try TestLog()
        try log.append(count: 10)
        let end = log.writer.endOffset
        log.directory.fail("write", after: 2)
        #expect(throws: IOFailure.self) { try log.append(count: 5 << 20) }
        #expect(log.writer.endOffset == end)
        let result = TestLog.read(log.content)
        #expect(result.error == nil)
        #expect(result.records == log.records)
        #expect(result.end?.offset == end)
        #expect(result.end?.wasTorn == true)
    }

    @Test func aFailedSyncIsNeverRepeated() throws {
        var log = try TestLog()
        try log.append(count: 10)
        log.directory.fail("sync")
        let first = try #require(throws: IOFailure.self) { try log.writer.sync() }
        log.directory.heal()
        #expect(throws: first) { try log.writer.sync() }
        #expect(throws: first) { try log.append(count: 1) }
        #expect(log.directory.syncCount == 1)
    }

    @Test func aRefusedReservationLeavesTheLogUsable() throws {
        var log = try TestLog(preallocate: 1 << 15)
        try log.append(count: 10)
        let before = log.content
        log.directory.fail("preallocate", LogWriterFailureTests.noSpace)
        let error = #expect(throws: IOFailure.self) { try log.append(count: 40_000) }
        #expect(error?.isOutOfSpace == true)
        #expect(log.writer.failure == nil)
        #expect(log.content == before)
        log.directory.heal()
        try log.append(count: 40_000)
        #expect(TestLog.read(log.content).records == log.records)
    }

    @Test func aBrokenReservationPoisons() throws {
        var log = try TestLog(preallocate: 1 << 15)
        log.directory.fail("preallocate", LogWriterFailureTests.ioError)
        let error = #expect(throws: IOFailure.self) { try log.append(count: 40_000) }
        #expect(log.writer.failure == error)
    }

    @Test(arguments: ["create", "preallocate", "write"])
    func aLogThatCannotBeCreatedThrows(_ operation: String) throws {
        let directory = MemoryDirectory()
        directory.fail(operation, LogWriterFailureTests.noSpace)
        let error = #expect(throws: IOFailure.self) {
            try LogWriter(
                directory: directory, name: "1.wal", number: 1, kind: .wal, previous: .none, preallocate: 4096)
        }
        #expect(error?.operation == operation)
    }

    @Test func aRecordOverTheLimitIsRefusedAndHarmless() throws {
        var log = try TestLog()
        let tooLong = OwnedBytes(count: LogFormat.recordMax + 1)
        #expect(throws: IOFailure.self) {
            try withExtendedLifetime(tooLong) { try log.writer.append(tooLong.bytes) }
        }
        #expect(log.writer.failure == nil)
        try log.append(count: 3)
        #expect(TestLog.read(log.content).records == log.records)
    }

    @Test func aClosedLogRefusesRecords() throws {
        var log = try TestLog()
        try log.append(count: 10)
        try log.writer.close(truncating: false)
        #expect(throws: IOFailure.self) { try log.append(count: 10) }
        #expect(throws: IOFailure.self) { try log.writer.sync() }
    }

    @Test(arguments: ["truncate", "close"])
    func aFailureToCloseIsReported(_ operation: String) throws {
        let log = try TestLog()
        log.directory.fail(operation)
        let error = #expect(throws: IOFailure.self) { try log.writer.close(truncating: true) }
        #expect(error?.operation == operation)
    }

    @Test func aFailedReadIsNotTheEndOfTheLog() throws {
        var log = try TestLog()
        try log.append(count: 3 << 20)
        let directory = log.directory
        directory.fail("read", after: 2)
        let reader = try LogReader(
            file: MemoryReadableFile(directory, TestLog.name), path: "x", number: TestLog.number, kind: .wal)
        let error = #expect(throws: StorageError.self) { try reader.next() }
        #expect(error?.code == .ioFailure)
        #expect(error?.file == TestLog.name || error?.file == "x")
        #expect(reader.end == nil)
    }
}
