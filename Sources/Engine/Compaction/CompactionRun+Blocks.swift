import ShaleBase
import ShaleManifest
import ShaleSegment

/// An input that stands in front of a block that has not been read.
struct PausedInput {
    let index: Int
    let block: CompactionSource.PendingBlock
    let separator: OwnedBytes
    let bound: OwnedBytes
    /// Whether `bound` itself is in the block: then it is the segment's smallest key, or a key whose newer versions end the
    /// block before.
    let includesBound: Bool

    init(index: Int, block: CompactionSource.PendingBlock) {
        self.index = index
        self.block = block
        separator = OwnedBytes(block.separator)
        bound = OwnedBytes(block.previousSeparator ?? block.segment.metadata.smallestKey)
        includesBound = block.previousSeparator == nil || block.beginsWithinKey
    }

    /// Every key of the block is at or above `key`.
    func beginsAt(orAbove key: Bytes) -> Bool {
        let bound = bound.bytes
        if key <= bound { return true }
        // Above `bound` comes `bound` with a zero behind it, and nothing in between.
        return !includesBound && key.count == bound.count + 1 && key.starts(with: bound) && key[bound.count] == 0
    }

    /// Every key of the block is above `key`.
    func isAbove(_ key: Bytes) -> Bool { includesBound ? key < bound.bytes : key <= bound.bytes }

    static func begins(_ a: PausedInput, _ b: PausedInput) -> Bool {
        let order = Bytes.compare(a.bound.bytes, b.bound.bytes)
        return order != 0 ? order < 0 : a.includesBound && !b.includesBound
    }
}

extension CompactionRun {
    private enum Disposal {
        case skip
        case copy
        case decode
    }

    /// Deals with every unread block that begins at or before the merge's current entry. False when all inputs are at
    /// their end.
    mutating func settlePaused() throws(StorageError) -> Bool {
        while !paused.isEmpty {
            guard let position = paused.indices.min(by: { PausedInput.begins(paused[$0], paused[$1]) }) else { break }
            let input = paused[position]
            if !merge.isEnded, input.isAbove(merge.current.key) { return true }
            paused.remove(at: position)
            switch isUnopposed(input) && isWithinBounds(input) ? try disposal(of: input) : .decode {
            case .decode:
                try sources[input.index].enterBlock(for: cursors[input.index])
                if cursors[input.index].runCount > 0 { merge.join(input.index) }
            case .skip:
                statistics.skippedBlocks += 1
                statistics.skippedEntries += UInt64(input.block.row.statistics.entryCount)
                try pass(input)
            case .copy:
                try copy(input)
                statistics.copiedBlocks += 1
                try pass(input)
            }
        }
        return !merge.isEnded
    }

    /// Leaves the block out of the merge.
    private mutating func pass(_ input: PausedInput) throws(StorageError) {
        writer.endKey()
        sources[input.index].skipBlock()
        try cursors[input.index].fill()
        try pauseIfNeeded(input.index)
    }

    /// Whether all keys of all other inputs lie above the block.
    private func isUnopposed(_ input: PausedInput) -> Bool {
        let last = input.separator.bytes
        if !merge.isEnded, merge.current.key <= last { return false }
        return paused.allSatisfy { $0.isAbove(last) }
    }

    /// What reaches beyond the run's range is cut off when it is decoded.
    private func isWithinBounds(_ input: PausedInput) -> Bool { upper.map { input.separator.bytes < $0.bytes } ?? true }

    private mutating func copy(_ input: PausedInput) throws(StorageError) {
        if shouldCut(before: input.separator.bytes) { try endOutput(horizon.wallMilliseconds) }
        try writer.output.addStoredBlock(from: input.block.segment, index: input.block.index)
    }

    private func disposal(of input: PausedInput) throws(StorageError) -> Disposal {
        let row = input.block.row
        let entries = row.statistics
        if input.block.beginsWithinKey || row.continues { return .decode }
        let namespace = EncodedKey.namespace(of: input.separator.bytes)
        let erasure = horizon.erasure(of: namespace)
        let truncatedForAll = erasure.truncatedThrough(at: horizon.oldestSequence)
        if erasure.isDropped || entries.maxSequence <= truncatedForAll { return .skip }
        let isBottom = !job.older.mayHold(input.bound.bytes, input.separator.bytes)
        let purgedForAll = max(truncatedForAll, erasure.purgedThrough(at: horizon.oldestSequence))
        let isPurged = entries.purgeableCount == entries.entryCount && entries.maxPurgeableSequence <= purgedForAll
        let isExpired =
            entries.expirableCount == entries.entryCount && entries.maxExpiry <= horizon.oldestWallMilliseconds
        if isBottom, isPurged || isExpired { return .skip }

        let keepsAll =
            !entries.hasVersions
            && (entries.deleteCount == 0 || !isBottom)
            && entries.minSequence > erasure.truncatedThrough()
            && (entries.purgeableCount == 0 || entries.minSequence > erasure.purgedThrough())
            && (entries.expirableCount == 0 || entries.minExpiry > horizon.wallMilliseconds)
        guard keepsAll else { return .decode }
        return try isStoredAsWanted(input.block, namespace) ? .copy : .decode
    }

    /// Whether new blocks of the namespace would be compressed likewise.
    private func isStoredAsWanted(
        _ block: CompactionSource.PendingBlock, _ namespace: NamespaceID
    ) throws(StorageError) -> Bool {
        let target = writer.output.options
        guard block.row.codec.isAcceptable(for: target.codec) else { return false }
        if options.copiesOnlySameLevel, try block.segment.compression()?.codec != target.codec { return false }
        let dictionary = target.dictionaries[namespace]
        switch block.row.codec {
        case .zstdDictionary:
            guard let dictionary else { return false }
            return try block.segment.dictionaryIdentifier(forBlock: block.index) == dictionary.identifier
        case .zstd: return dictionary == nil
        case .none, .lz4: return true
        }
    }
}
