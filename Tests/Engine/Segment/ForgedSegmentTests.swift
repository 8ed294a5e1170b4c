import ShaleBase
import ShalePlatform
import TestSupport
import Testing

@testable import ShaleSegment

/// An index or a data block that contradicts the rest of the file, with correct checksums.
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
            blockCount: image.u32(offset),
            prefixCount: Int(image.bytes[offset + 4]) | Int(image.bytes[offset + 5]) << 8, isSplit: false)
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

/// A list of dictionaries that contradicts the rest of the file, with correct checksums.
@Suite struct ForgedDictionaryTests {
    /// Returns a segment of three namespaces; the first two have dictionaries.
    private func segment() throws -> ForgedSegment {
        let dictionary = try #require(try DocumentEntries.dictionary(DocumentEntries.make(count: 2000)))
        var options = DocumentEntries.options(dictionary)
        options.dictionaries[NamespaceID(rawValue: 2)] = dictionary
        let entries = (1...3).flatMap { DocumentEntries.make(count: 200, namespace: UInt32($0), seed: UInt64($0)) }
        let forged = try ForgedSegment(entries, options)
        #expect(try SliceCoderRecord.encodedBytes * 2 == list(forged.image).length)
        return forged
    }

    /// Returns the place of the property that lists the dictionaries.
    private func list(_ image: SegmentImage) throws -> (offset: Int, length: Int) {
        let (start, length) = image.place(.properties)
        var offset = start
        while offset < start + length {
            let (tag, count) = (Int(image.bytes[offset]) | Int(image.bytes[offset + 1]) << 8, image.u32(offset + 2))
            if tag == 7 { return (offset + 6, count) }
            offset += 6 + count
        }
        throw SegmentImage.Missing()
    }

    /// Puts a number into the list of dictionaries at a byte offset.
    private func forge(_ value: UInt32, at place: Int) throws -> ForgedSegment {
        var forged = try segment()
        forged.image.bytes.put(value, at: try list(forged.image).offset + place)
        forged.image.seal(.properties)
        return forged
    }

    private static let second = SliceCoderRecord.encodedBytes
    private static let savedShare = 4
    private static let storedLength = 16

    @Test func aDictionaryThatSavesMoreThanEverythingIsNoticed() throws {
        let forged = try forge(1001, at: ForgedDictionaryTests.savedShare)
        forged.expectDamage(
            "a dictionary's record is out of bounds", at: forged.image.place(.properties).offset)
    }

    @Test func twoDictionariesOfOneNamespaceAreNoticed() throws {
        let forged = try forge(1, at: ForgedDictionaryTests.second)
        forged.expectDamage("the dictionaries are out of order", at: forged.image.place(.properties).offset)
    }

    @Test func aDictionaryThatReachesIntoTheFilterIsNoticed() throws {
        var forged = try segment()
        let place = try list(forged.image).offset + ForgedDictionaryTests.second + ForgedDictionaryTests.storedLength
        forged.image.bytes.put(UInt32(forged.image.u32(place) + 1), at: place)
        forged.image.seal(.properties)
        forged.expectDamage(
            "the dictionaries do not end where the next part begins", at: forged.image.place(.properties).offset)
    }

    @Test func aDictionaryOfAMissingNamespaceIsNoticed() throws {
        let forged = try forge(9, at: ForgedDictionaryTests.second)
        forged.expectDamage("a dictionary belongs to no slice", at: forged.image.place(.index).offset)
    }

    @Test func aDictionaryThatWasTakenFromItsNamespaceIsNoticed() throws {
        let forged = try forge(3, at: ForgedDictionaryTests.second)
        forged.expectDamage("a block needs a dictionary that is missing", at: forged.image.place(.index).offset)
    }

    @Test func aFooterThatDeniesItsDictionariesIsNoticed() throws {
        var forged = try segment()
        let metadata = forged.metadata
        forged.image.bytes.put(UInt32(0), at: forged.image.footerOffset + 72)
        forged.image.sealFooter()
        #expect(metadata.hasDictionaries)
        forged.expectDamage(
            "footer and properties differ about dictionaries", at: forged.image.place(.properties).offset)
    }
}
