/// The features of a segment that a reader must know, besides those of format 1 without dictionaries. On disk, do not
/// change: DESIGN.md, "Footer" and "Manifest".
package struct SegmentFeatures: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Blocks need their slice's dictionary.
    package static let dictionaries = SegmentFeatures(rawValue: 1)
    /// Blocks need their slice's value code.
    package static let valueCodes = SegmentFeatures(rawValue: 2)
    /// The index tells of each block if it is split. The segment has format 2.
    package static let splitBlocks = SegmentFeatures(rawValue: 4)

    /// Entries refer to value files, whose uses are property 10.
    package static let valueReferences = SegmentFeatures(rawValue: 8)

    /// A value code is plain. Builds that knew format 2 without plain codes refuse such a segment.
    package static let plainCodes = SegmentFeatures(rawValue: 16)

    /// The features with a flag in the footer. The footer's version tells of the other one.
    static let flagged: SegmentFeatures = [.dictionaries, .valueCodes, .valueReferences, .plainCodes]

    /// Decodes features that a segment may have; `nil` if a later version wrote them, or if they contradict each other.
    package init?(decoding byte: UInt8) {
        self.init(rawValue: byte)
        let known: SegmentFeatures = [.dictionaries, .valueCodes, .splitBlocks, .valueReferences, .plainCodes]
        guard isSubset(of: known), contains(.splitBlocks) || !contains(.valueCodes),
            contains(.valueCodes) || !contains(.plainCodes)
        else { return nil }
    }

    /// The format version of a segment with these features.
    var formatVersion: UInt16 { contains(.splitBlocks) ? 2 : 1 }
}
