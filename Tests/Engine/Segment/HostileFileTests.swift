import ShaleBase
import ShalePlatform
import ShaleSegment
import ShaleSimulation
import Testing

/// Damage with correct checksums causes only other answers or errors.
///
/// Readers check sizes before they allocate memory for them.
@Suite struct HostileFileTests {
    @Test(arguments: [BlockCodec.none, .lz4, .zstd(level: 1)], 0..<4)
    func damagedBlocksUnderValidChecksumsNeverDoHarm(_ codec: BlockCodec, _ seed: Int) throws {
        let random = SeededRandom(seed: UInt64(1000 + seed))
        let entries = LookupTests.makers[seed].make(random).prefix(80)
        let fixture = try SegmentFixture(cacheBytes: 0)
        let options = SegmentWriterOptions(blockBytes: 600, codec: codec)
        let metadata = try fixture.write(Array(entries), options: options)
        let original = try SegmentImage(fixture, number: 1)
        let dataBlocks = try blocks(fixture.open(metadata))
        for _ in 0..<150 {
            var image = original
            let places = random.chance(0.5) ? dataBlocks : original.tailBlocks
            let (offset, length) = places[random.below(places.count)]
            for _ in 0...random.below(3) {
                // Prefers headers and small fields, where parsers fail most often.
                let at = random.chance(0.5) ? random.below(min(length, 40)) : random.below(length)
                image.bytes[offset + at] = UInt8(truncatingIfNeeded: random.next())
            }
            image.seal(blockAt: offset, length: length)
            image.store(fixture)
            let report = ReadReport(fixture, metadata, Array(entries.prefix(10)))
            for error in report.errors {
                #expect([.corruption, .newerFormat].contains(error.code), "\(error)")
                #expect(error.file == SegmentFixture.path(1))
            }
            do throws(StorageError) {
                // With the metadata that the file itself states, reads may only give other answers or errors.
                let told = try Segment.metadata(
                    number: 1, directory: fixture.directory, environment: fixture.environment)
                _ = ReadReport(fixture, told, Array(entries.prefix(10)))
            } catch {
                #expect([.corruption, .newerFormat].contains(error.code), "\(error)")
            }
        }
    }

    @Test func damagedFootersUnderValidChecksumsNeverDoHarm() throws {
        let random = SeededRandom(seed: 2000)
        let entries = EntryMaker(count: 100).make(random)
        let fixture = try SegmentFixture(cacheBytes: 0)
        let metadata = try fixture.write(entries)
        let original = try SegmentImage(fixture, number: 1)
        for _ in 0..<300 {
            var image = original
            let at = image.footerOffset + random.below(80)
            image.bytes[at] = UInt8(truncatingIfNeeded: random.next())
            image.sealFooter()
            image.store(fixture)
            let changed = image.bytes != original.bytes
            do {
                try fixture.open(metadata).open()
                #expect(!changed)
            } catch {
                #expect([.corruption, .newerFormat].contains(error.code), "\(error)")
            }
        }
    }

    @Test func damagedMetadataIsAnErrorOrOtherMetadata() throws {
        let random = SeededRandom(seed: 3000)
        let fixture = try SegmentFixture()
        let metadata = try fixture.write(EntryMaker(namespaces: [1, 2, 3]).make(random))
        var buffer = ByteBuffer()
        metadata.encode(into: &buffer)
        let original = buffer.bytes.array()
        for _ in 0..<2000 {
            var bytes = original
            bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
            if random.chance(0.3) { bytes.removeLast(random.below(bytes.count)) }
            bytes.lent { lent in
                var reader = ByteReader(lent)
                do throws(ParseFailure) {
                    let read = try SegmentMetadata(decoding: &reader)
                    #expect(!read.slices.isEmpty)
                } catch {
                    #expect(!error.reason.isEmpty)
                }
            }
        }
    }

    private func blocks(_ segment: Segment) throws -> [(offset: Int, length: Int)] {
        try (0..<(try segment.blockCount())).map {
            let handle = try segment.indexRow($0).handle
            return (Int(handle.offset), Int(handle.storedLength))
        }
    }
}
