/// The columns of a raw index, in file order: DESIGN.md, "Index". On disk, do not change.
struct IndexColumns {
    static let headerBytes = 8
    static let bytesPerBlock = 2 + 8 * 4 + 5 * 8 + 1

    static let hasVersions: UInt8 = 1
    static let codecShift: UInt8 = 1
    static let codecMask: UInt8 = 6
    static let continues: UInt8 = 8
    static let knownFlags: UInt8 = 15

    let separatorLengths: Int
    let storedLengths: Int
    let rawLengths: Int
    let entryCounts: Int
    let deleteCounts: Int
    let purgeableCounts: Int
    let expirableCounts: Int
    let dataBytes: Int
    let purgeableDataBytes: Int
    let minSequences: Int
    let maxSequences: Int
    let maxPurgeableSequences: Int
    let minExpiries: Int
    let maxExpiries: Int
    let flags: Int
    let separators: Int

    init(blockCount n: Int, prefixCount: Int) {
        separatorLengths = IndexColumns.headerBytes + prefixCount
        storedLengths = separatorLengths + 2 * n
        rawLengths = storedLengths + 4 * n
        entryCounts = rawLengths + 4 * n
        deleteCounts = entryCounts + 4 * n
        purgeableCounts = deleteCounts + 4 * n
        expirableCounts = purgeableCounts + 4 * n
        dataBytes = expirableCounts + 4 * n
        purgeableDataBytes = dataBytes + 4 * n
        minSequences = purgeableDataBytes + 4 * n
        maxSequences = minSequences + 8 * n
        maxPurgeableSequences = maxSequences + 8 * n
        minExpiries = maxPurgeableSequences + 8 * n
        maxExpiries = minExpiries + 8 * n
        flags = maxExpiries + 8 * n
        separators = flags + n
    }
}
