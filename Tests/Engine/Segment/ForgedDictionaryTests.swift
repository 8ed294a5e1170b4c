import ShaleBase
import ShalePlatform
import TestSupport
import Testing

@testable import ShaleSegment

/// Contract S-6, X-1: a list of dictionaries that contradicts the rest of the file, with correct checksums.
@Suite struct ForgedDictionaryTests {
    /// Returns a segment of three namespaces; the first two have dictionaries.
    private func segment() throws -> ForgedSegment {
        let dictionary = try #require(try DocumentEntries.dictionary(DocumentEntries.make(count: 2000)))
        var options = DocumentEntries.options(dictionary)
        options.dictionaries[NamespaceID(rawValue: 2)] = dictionary
        let entries = (1...3).flatMap { DocumentEntries.make(count: 200, namespace: UInt32($0), seed: UInt64($0)) }
        let forged = try ForgedSegment(entries, options)
        #expect(try DictionaryRecord.encodedBytes * 2 == list(forged.image).length)
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

    private static let second = DictionaryRecord.encodedBytes
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
