package import ShaleBase
package import ShaleSegment

/// One change of the store's state: a list of facts that take effect together. It is written as one manifest record.
package struct ManifestEdit: Sendable {
    package enum Fact: Sendable {
        case nextFileNumber(UInt64)
        case lastSequence(SequenceNumber)
        /// The oldest log that recovery needs; 0 = none (clean close).
        case logFloor(UInt64)
        /// The newest log that was created. If its file does not exist, a log is missing.
        case newestLog(UInt64)
        case nextNamespaceID(UInt32)
        case namespaceCreated(NamespaceRecord)
        case namespaceOptions(NamespaceID, [UInt8])
        case namespaceDropped(NamespaceID, SequenceNumber)
        case truncated(NamespaceID, SequenceNumber)
        case purged(NamespaceID, SequenceNumber)
        case segmentAdded(level: Int, SegmentMetadata)
        case segmentRemoved(UInt64, level: Int)
        case segmentMoved(UInt64, from: Int, to: Int)
        /// The time that removal uses. Versions without `clock` never use an earlier time.
        case clockFloor(Int64)
        /// The store's time. Replaces the floor.
        case clock(StoreClock)
    }

    package var facts: [Fact]

    package init(_ facts: [Fact] = []) { self.facts = facts }
}

/// On disk, do not change: DESIGN.md, "Manifest".
extension ManifestEdit {
    private enum Tag {
        static let nextFileNumber: UInt16 = 2
        static let lastSequence: UInt16 = 3
        static let logFloor: UInt16 = 4
        static let newestLog: UInt16 = 5
        static let nextNamespaceID: UInt16 = 6
        static let namespaceCreated: UInt16 = 7
        static let namespaceOptions: UInt16 = 8
        static let namespaceDropped: UInt16 = 9
        static let truncated: UInt16 = 10
        static let purged: UInt16 = 11
        static let segmentAdded: UInt16 = 12
        static let segmentRemoved: UInt16 = 13
        static let segmentMoved: UInt16 = 14
        static let clockFloor: UInt16 = 15
        /// A `segmentAdded` for a segment with dictionaries.
        static let dictionarySegmentAdded: UInt16 = 16
        /// A `segmentAdded` for a segment of format 2. (17 was taken by the clock.)
        static let splitSegmentAdded: UInt16 = 18
        /// A `segmentAdded` for a segment with references to value files.
        static let referencingSegmentAdded: UInt16 = 19
        /// Facts with this bit may be skipped by a reader that does not know them.
        static let skippable: UInt16 = 0x8000
        static let clock: UInt16 = skippable | 17
    }

    package func encode(into buffer: inout ByteBuffer) {
        for fact in facts {
            let start = buffer.count
            buffer.append(UInt16(0))
            buffer.append(UInt32(0))
            let tag = ManifestEdit.encode(fact, into: &buffer)
            let length = buffer.count - start - 6
            buffer.mutableBytes.store(tag, at: start)
            buffer.mutableBytes.store(UInt32(length), at: start + 2)
        }
    }

    private static func encode(_ fact: Fact, into buffer: inout ByteBuffer) -> UInt16 {
        switch fact {
        case .nextFileNumber(let number):
            buffer.append(number)
            return Tag.nextFileNumber
        case .lastSequence(let sequence):
            buffer.append(sequence)
            return Tag.lastSequence
        case .logFloor(let number):
            buffer.append(number)
            return Tag.logFloor
        case .newestLog(let number):
            buffer.append(number)
            return Tag.newestLog
        case .nextNamespaceID(let id):
            buffer.append(id)
            return Tag.nextNamespaceID
        case .namespaceCreated(let record):
            buffer.append(record.id.rawValue)
            buffer.append(record.truncatedThrough)
            buffer.append(record.purgedThrough)
            buffer.append(UInt32(record.name.count))
            buffer.append(record.name)
            buffer.append(UInt32(record.options.count))
            buffer.append(record.options)
            return Tag.namespaceCreated
        case .namespaceOptions(let id, let options):
            buffer.append(id.rawValue)
            buffer.append(UInt32(options.count))
            buffer.append(options)
            return Tag.namespaceOptions
        case .namespaceDropped(let id, let sequence): return encode(id, sequence, Tag.namespaceDropped, &buffer)
        case .truncated(let id, let sequence): return encode(id, sequence, Tag.truncated, &buffer)
        case .purged(let id, let sequence): return encode(id, sequence, Tag.purged, &buffer)
        case .segmentAdded(let level, let metadata): return encode(metadata, level, &buffer)
        case .segmentRemoved(let number, let level):
            buffer.append(number)
            buffer.append(UInt8(level))
            return Tag.segmentRemoved
        case .segmentMoved(let number, let from, let to):
            buffer.append(number)
            buffer.append(UInt8(from))
            buffer.append(UInt8(to))
            return Tag.segmentMoved
        case .clockFloor(let milliseconds):
            buffer.append(milliseconds)
            return Tag.clockFloor
        case .clock(let clock):
            clock.encode(into: &buffer)
            return Tag.clock
        }
    }

    private static func encode(_ metadata: SegmentMetadata, _ level: Int, _ buffer: inout ByteBuffer) -> UInt16 {
        buffer.append(UInt8(level))
        if metadata.features.contains(.valueReferences) {
            buffer.append(metadata.features.rawValue)
            metadata.encodeValues(into: &buffer)
            metadata.encode(into: &buffer)
            return Tag.referencingSegmentAdded
        }
        guard metadata.features.contains(.splitBlocks) else {
            metadata.encode(into: &buffer)
            return metadata.hasDictionaries ? Tag.dictionarySegmentAdded : Tag.segmentAdded
        }
        buffer.append(metadata.features.rawValue)
        metadata.encode(into: &buffer)
        return Tag.splitSegmentAdded
    }

    private static func encode(
        _ id: NamespaceID, _ sequence: SequenceNumber, _ tag: UInt16, _ buffer: inout ByteBuffer
    ) -> UInt16 {
        buffer.append(id.rawValue)
        buffer.append(sequence)
        return tag
    }

    /// Decodes one record. An unknown fact that may not be skipped means that a newer version wrote the store.
    package init(decoding bytes: Bytes) throws(StorageError) {
        facts = []
        var reader = ByteReader(bytes)
        var unknown: UInt16?
        do throws(ParseFailure) {
            while !reader.isAtEnd, unknown == nil {
                let tag = try reader.u16("a fact's tag")
                var payload = ByteReader(try reader.slice(Int(try reader.u32("a fact's length")), "a fact"))
                if let fact = try ManifestEdit.decode(tag, &payload) {
                    guard payload.isAtEnd else { throw ParseFailure("fact \(tag) is longer than its content") }
                    facts.append(fact)
                } else if tag & Tag.skippable == 0 {
                    unknown = tag
                }
            }
        } catch {
            throw .corruption("the manifest does not parse: \(error.reason)")
        }
        if let unknown {
            throw StorageError(.newerFormat, "the manifest holds a fact of unknown kind \(unknown)")
        }
    }

    private static func decode(_ tag: UInt16, _ reader: inout ByteReader) throws(ParseFailure) -> Fact? {
        switch tag {
        case Tag.nextFileNumber: return .nextFileNumber(try fileNumber(&reader))
        case Tag.lastSequence: return .lastSequence(try sequence(&reader))
        case Tag.logFloor: return .logFloor(try fileNumber(&reader))
        case Tag.newestLog: return .newestLog(try fileNumber(&reader))
        case Tag.nextNamespaceID: return .nextNamespaceID(try reader.u32())
        case Tag.namespaceCreated:
            let id = NamespaceID(rawValue: try reader.u32())
            let truncated = try sequence(&reader)
            let purged = try sequence(&reader)
            let name = try reader.string32(limit: FormatLimits.namespaceNameBytes, "a namespace's name")
            let options = try reader.string32(limit: FormatLimits.namespaceOptionsBytes, "a namespace's options")
            return .namespaceCreated(
                NamespaceRecord(
                    id: id, name: name, options: options, truncatedThrough: truncated, purgedThrough: purged))
        case Tag.namespaceOptions:
            let id = NamespaceID(rawValue: try reader.u32())
            return .namespaceOptions(
                id, try reader.string32(limit: FormatLimits.namespaceOptionsBytes, "a namespace's options"))
        case Tag.namespaceDropped:
            return .namespaceDropped(NamespaceID(rawValue: try reader.u32()), try sequence(&reader))
        case Tag.truncated: return .truncated(NamespaceID(rawValue: try reader.u32()), try sequence(&reader))
        case Tag.purged: return .purged(NamespaceID(rawValue: try reader.u32()), try sequence(&reader))
        case Tag.segmentAdded, Tag.dictionarySegmentAdded:
            let target = try level(&reader)
            return .segmentAdded(
                level: target,
                try SegmentMetadata(decoding: &reader, tag == Tag.dictionarySegmentAdded ? .dictionaries : []))
        case Tag.splitSegmentAdded:
            let target = try level(&reader)
            guard let features = SegmentFeatures(decoding: try reader.u8()), features.contains(.splitBlocks) else {
                return nil
            }
            return .segmentAdded(level: target, try SegmentMetadata(decoding: &reader, features))
        case Tag.referencingSegmentAdded:
            let target = try level(&reader)
            guard let features = SegmentFeatures(decoding: try reader.u8()) else { return nil }
            let values = try SegmentMetadata.decodeValues(&reader)
            return .segmentAdded(level: target, try SegmentMetadata(decoding: &reader, features, values: values))
        case Tag.segmentRemoved: return .segmentRemoved(try reader.u64(), level: try level(&reader))
        case Tag.segmentMoved:
            return .segmentMoved(try reader.u64(), from: try level(&reader), to: try level(&reader))
        case Tag.clockFloor: return .clockFloor(try reader.i64())
        case Tag.clock: return .clock(try StoreClock(decoding: &reader))
        default: return nil
        }
    }

    private static func level(_ reader: inout ByteReader) throws(ParseFailure) -> Int {
        let level = Int(try reader.u8())
        guard level < FormatLimits.levels else { throw ParseFailure("level \(level) does not exist") }
        return level
    }

    private static func fileNumber(_ reader: inout ByteReader) throws(ParseFailure) -> UInt64 {
        let number = try reader.u64()
        guard number <= FormatLimits.fileNumber else { throw ParseFailure("a file number is out of bounds") }
        return number
    }

    private static func sequence(_ reader: inout ByteReader) throws(ParseFailure) -> SequenceNumber {
        let value = try reader.u64()
        guard value <= Trailer.sequenceMax else { throw ParseFailure("a sequence has more than 56 bits") }
        return value
    }
}
