import ShaleBase
import ShalePlatform
import TestSupport
import Testing

@testable import ShaleSegment

/// Contract S-6, X-1: an index or a data block that contradicts the rest of the file, with correct checksums.
///
/// `verify` reports the damage and its place.
@Suite struct ForgedIndexTests {
    /// Several blocks in each of two namespaces; a namespace between them has none. There is no filter, because a
    /// filter knows the keys.
    private static let options = SegmentWriterOptions(blockBytes: 100, codec: .none, filterBitsPerKey: 0)
    private static let entries = [UInt32(1), 3].flatMap { namespace in
        (100..<140).map { TestEntry.put(namespace, "key-\($0)", SequenceNumber($0)) }
    }

    private func columns(_ image: SegmentImage) -> IndexColumns {
        let offset = image.place(.index).offset
        return IndexColumns(
            blockCount: image.u32(offset), prefixCount: Int(image.bytes[offset + 4]) | Int(image.bytes[offset + 5]) << 8
        )
    }

    @Test func versionsThatDoNotContinueAreNoticed() throws {
        var forged = try ForgedSegment(ForgedIndexTests.entries, ForgedIndexTests.options)
        let flags = forged.image.place(.index).offset + columns(forged.image).flags
        forged.image.bytes[flags] |= IndexColumns.continues
        forged.image.seal(.index)
        forged.expectDamage(
            "the index is wrong about versions that continue in this block", at: try forged.block(1).offset)
    }

    @Test func aSeparatorBelowItsBlockIsNoticed() throws {
        var forged = try ForgedSegment(ForgedIndexTests.entries, ForgedIndexTests.options)
        let index = forged.image.place(.index).offset
        let columns = columns(forged.image)
        let length = Int(forged.image.bytes[index + columns.separatorLengths])
        forged.image.bytes[index + columns.separators + length - 1] -= 1
        forged.image.seal(.index)
        forged.expectDamage("the separator is below the last key", at: 0)
    }

    @Test func aBlockOfAnotherNamespaceIsNoticed() throws {
        var forged = try ForgedSegment(ForgedIndexTests.entries, ForgedIndexTests.options)
        let place = try forged.block(Int(forged.metadata.slices[1].firstBlock))
        let namespace = place.offset + DataBlockFormat.headerBytes + EncodedKey.namespaceWidth - 1
        #expect(forged.image.bytes[namespace] == 3)
        forged.image.bytes[namespace] = 2
        forged.image.seal(blockAt: place.offset, length: place.length)
        forged.expectDamage("the separator is of another namespace", at: place.offset)
    }

    @Test func aKeyThatIsTooLongIsNoticed() throws {
        let longest = String(repeating: "a", count: FormatLimits.keyBytes)
        var forged = try ForgedSegment(
            [.put(1, longest, 1), .put(1, "b", 2)],
            SegmentWriterOptions(blockBytes: 64 << 10, codec: .none, filterBitsPerKey: 0))
        let place = try forged.block(0)
        let lengths = place.offset + DataBlockFormat.headerBytes + EncodedKey.namespaceWidth
        // The first key gets one byte more and the second one byte less, so the total length is the same.
        forged.image.bytes.put(UInt16(FormatLimits.keyBytes + 1), at: lengths)
        forged.image.bytes.put(UInt16(0), at: lengths + 2)
        forged.image.seal(blockAt: place.offset, length: place.length)
        forged.expectDamage("a data block's key is too long", at: place.offset)
    }

    @Test func aCodecThatDoesNotExistIsNoticed() throws {
        var forged = try ForgedSegment(ForgedIndexTests.entries, ForgedIndexTests.options)
        let place = try forged.block(2)
        forged.image.bytes[place.offset + place.length] = 9
        forged.image.seal(blockAt: place.offset, length: place.length)
        forged.expectDamage("a block has the unknown codec 9", at: place.offset)
    }
}
