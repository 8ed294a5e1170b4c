#if os(Linux)
    import Glibc
    import ShaleBase
    import ShalePlatform
    import Testing

    @testable import ShaleSegment

    /// Lookups and seeks in split blocks that copy from a mapping of the segment, on tmpfs, which every Linux system
    /// has.
    @Suite struct SplitMappingTests {
        private static let entries = EntryMaker(count: 1000, namespaces: [1], valueLengths: 20...300)
            .make(SeededRandom(seed: 400))

        /// A segment on tmpfs whose blocks never enter the cache.
        private final class MappedSegment {
            let path = "/dev/shm/shale-segment-\(getpid())-\(UInt64.random(in: 0 ... .max))"
            let directory: any Directory
            let segment: Segment

            var file: String { path + "/" + SegmentFileName.make(1) }

            init(_ values: SplitSegmentTests.Values) throws {
                directory = try PosixFileSystem().openDirectory(path, create: true)
                let options = try values.options(SplitMappingTests.entries)
                let writer = try SegmentWriter(directory: directory, number: 1, options: options)
                for entry in SplitMappingTests.entries { try writer.add(entry) }
                segment = Segment(
                    metadata: try writer.finish(createdMilliseconds: 1), directory: directory,
                    environment: SegmentEnvironment(
                        budget: MemoryBudget(limitBytes: 0, cacheFloorBytes: 0), openFileLimit: 10,
                        domain: EpochDomain(), mapsFiles: true))
            }

            func cut(to size: Int) { #expect(unsafe truncate(file, off_t(size)) == 0) }

            func flip(_ offset: Int) throws {
                let file = try directory.reopen(SegmentFileName.make(1))
                let byte = OwnedBytes(count: 1)
                _ = try directory.open(SegmentFileName.make(1)).read(into: byte.mutable, at: UInt64(offset))
                byte.mutable.store(byte.bytes[0] ^ 1, at: 0)
                try file.write(byte.bytes, at: UInt64(offset))
                try file.close()
            }

            deinit {
                unsafe unlink(file)
                unsafe rmdir(path)
            }
        }

        @Test(arguments: SplitSegmentTests.Values.allCases)
        func lookupsAndSeeksReadTheSame(_ values: SplitSegmentTests.Values) throws {
            let mapped = try MappedSegment(values)
            for entry in Self.entries {
                #expect(try mapped.segment.lookUp(entry.key, through: entry.sequence) == entry)
            }
            let cursor = EntryCursor(mapped.segment, headOffset: 0, options: ScanOptions(fillCache: false))
            #expect(try cursor.entries() == Self.entries)
            #expect(try cursor.entries(.backward) == Self.entries.reversed())
        }

        /// A changed byte is noticed at the next read, whether or not its block has been read before.
        @Test func everyCopyIsVerified() throws {
            let mapped = try MappedSegment(.code)
            let first = Self.entries[0]
            #expect(try mapped.segment.lookUp(first.key, through: first.sequence) == first)
            let row = try mapped.segment.indexRow(0)
            try mapped.flip(Int(row.handle.offset) + 20)
            let error = #expect(throws: StorageError.self) { try mapped.segment.lookUp(first.key) }
            #expect(error?.code == .corruption)
            try mapped.flip(Int(row.handle.offset) + 20)
            #expect(try mapped.segment.lookUp(first.key, through: first.sequence) == first)
        }

        @Test func aFileThatWasCutIsAnErrorNotTheEndOfTheProcess() throws {
            let mapped = try MappedSegment(.none)
            let (first, last) = (Self.entries[0], Self.entries[Self.entries.count - 1])
            #expect(try mapped.segment.lookUp(last.key, through: last.sequence) == last)
            mapped.cut(to: 20 << 10)
            let error = #expect(throws: StorageError.self) { try mapped.segment.lookUp(last.key) }
            #expect(error?.code == .corruption)
            // The rest is read from the file.
            #expect(try mapped.segment.lookUp(first.key, through: first.sequence) == first)
        }
    }
#endif
