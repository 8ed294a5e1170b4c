import ShaleBase
import ShalePlatform
import ShaleSegment
import ShaleSimulation
import Testing

@Suite struct SegmentWriterFailureTests {
    private static let operations: [OperationSet] = [[.write], [.sync]]

    @Test(arguments: operations.indices)
    func aFailedWriteSurfacesAndTheFileCanBeAbandoned(_ operation: Int) throws {
        let fixture = try SegmentFixture()
        fixture.fileSystem.inject(
            FaultRule(on: SegmentWriterFailureTests.operations[operation], when: .always, .error(28)))
        let error = #expect(throws: StorageError.self) {
            let writer = try SegmentWriter(directory: fixture.directory, number: 1)
            do {
                try writer.add(.put(1, "a", 1))
                _ = try writer.finish(createdMilliseconds: 1)
            } catch {
                #expect(writer.abandon() == nil)
                throw error
            }
        }
        #expect(error?.code == .noSpace)
        #expect(error?.file == SegmentFixture.path(1))
        #expect(fixture.fileSystem.paths().isEmpty)
        #expect(fixture.openFileCount == 0)
    }

    @Test func spaceThatCannotBeHadIsNoSpace() throws {
        let fixture = try SegmentFixture()
        fixture.fileSystem.inject(FaultRule(on: [.preallocate], when: .always, .error(28)))
        let writer = try SegmentWriter(directory: fixture.directory, number: 1)
        let error = #expect(throws: StorageError.self) { try writer.preallocate(1 << 20) }
        #expect(error?.code == .noSpace && error?.file == SegmentFixture.path(1))
        #expect(writer.abandon() == nil)
        #expect(fixture.fileSystem.paths().isEmpty && fixture.openFileCount == 0)
    }

    @Test func anExistingFileIsNeverOverwritten() throws {
        let fixture = try SegmentFixture()
        _ = try fixture.write([.put(1, "a", 1)])
        #expect(throws: StorageError.self) { try fixture.write([.put(1, "b", 1)]) }
    }

    @Test func aSegmentWithoutEntriesCannotBeFinished() throws {
        let fixture = try SegmentFixture()
        let writer = try SegmentWriter(directory: fixture.directory, number: 1)
        let error = #expect(throws: StorageError.self) { try writer.finish(createdMilliseconds: 1) }
        #expect(error?.code == .invalidArgument)
        writer.abandon()
    }

    @Test func preallocatedSpaceIsGivenBack() throws {
        let fixture = try SegmentFixture()
        let writer = try SegmentWriter(directory: fixture.directory, number: 1)
        try writer.preallocate(1 << 20)
        try writer.add(.put(1, "a", 1))
        let metadata = try writer.finish(createdMilliseconds: 1)
        #expect(fixture.fileSystem.read(SegmentFixture.path(1))?.count == Int(metadata.fileBytes))
        try fixture.open(metadata).verify()
    }

    @Test func theEstimateIsNearTheFileSize() throws {
        for codec in SegmentRoundTripTests.codecs {
            let fixture = try SegmentFixture()
            let options = SegmentWriterOptions(codec: codec)
            let writer = try SegmentWriter(directory: fixture.directory, number: 1, options: options)
            for entry in EntryMaker(count: 5000).make(SeededRandom(seed: 1)) { try writer.add(entry) }
            let estimate = writer.estimatedFileBytes
            let metadata = try writer.finish(createdMilliseconds: 1)
            #expect(estimate >= metadata.fileBytes)
            #expect(estimate <= metadata.fileBytes + metadata.fileBytes / 5)
        }
    }
}
