import ShaleBase
import ShaleManifest
package import ShaleSegment

/// An input that is positioned before an unread block.
struct PausedInput {
    let index: Int
    let block: CompactionSource.PendingBlock
    let separator: OwnedBytes
    let bound: OwnedBytes
    /// True if `bound` itself is in the block. Then it is the segment's smallest key, or a key whose newer versions end
    /// the previous block.
    let includesBound: Bool

    init(index: Int, block: CompactionSource.PendingBlock) {
        self.index = index
        self.block = block
        separator = OwnedBytes(block.separator)
        bound = OwnedBytes(block.previousSeparator ?? block.segment.metadata.smallestKey)
        includesBound = block.previousSeparator == nil || block.beginsWithinKey
    }

    /// True if every key of the block is at or above `key`.
    func beginsAt(orAbove key: Bytes) -> Bool {
        let bound = bound.bytes
        if key <= bound { return true }
        // The successor of `bound` is `bound` with a zero appended; no key lies in between.
        return !includesBound && key.count == bound.count + 1 && key.starts(with: bound) && key[bound.count] == 0
    }

    /// True if every key of the block is above `key`.
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

    /// Skips, copies or decodes every unread block that begins at or before the merge's current entry. Returns false if
    /// all inputs are at their end.
    mutating func settlePaused() throws(StorageError) -> Bool {
        while !paused.isEmpty {
            guard let position = paused.indices.min(by: { PausedInput.begins(paused[$0], paused[$1]) }) else { break }
            let input = paused[position]
            if !merge.isEnded, input.isAbove(merge.current.key) { return true }
            paused.remove(at: position)
            switch isUncontested(input) && isWithinBounds(input) ? try disposal(of: input) : .decode {
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

    /// Advances an input past the block without merging it.
    private mutating func pass(_ input: PausedInput) throws(StorageError) {
        writer.endKey()
        sources[input.index].skipBlock()
        try cursors[input.index].fill()
        try pauseIfNeeded(input.index)
    }

    /// True if all keys of all other inputs lie above the block.
    private func isUncontested(_ input: PausedInput) -> Bool {
        let last = input.separator.bytes
        if !merge.isEnded, merge.current.key <= last { return false }
        return paused.allSatisfy { $0.isAbove(last) }
    }

    /// True if the block ends inside the run's range. Decoding cuts off the part outside.
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
        // The uses of value files are counted by entry.
        guard keepsAll, input.block.segment.metadata.values.isEmpty else { return .decode }
        return try isStoredAsWanted(input.block, namespace) ? .copy : .decode
    }

    /// True if new blocks of the namespace would be compressed in the same way.
    private func isStoredAsWanted(
        _ block: CompactionSource.PendingBlock, _ namespace: NamespaceID
    ) throws(StorageError) -> Bool {
        let target = writer.output.options
        let splits = target.splits(namespace)
        guard block.row.isSplit == splits else { return false }
        let code = splits ? target.valueCodes[namespace]?.code : nil
        if block.row.codec == .valueCode {
            guard let code else { return false }
            return try block.segment.coderIdentifier(forBlock: block.index) == code.identifier
        }
        // Values that do not shrink are stored plain with any target.
        guard code == nil || block.row.codec == .none else { return false }
        guard block.row.codec.isAcceptable(for: target.codec) else { return false }
        if options.copiesOnlySameLevel, try block.segment.compression()?.codec != target.codec { return false }
        let dictionary = target.dictionaries[namespace]
        switch block.row.codec {
        case .zstdDictionary:
            guard let dictionary else { return false }
            if PlantedBug.isActive(.copyWithoutDictionary) { return true }
            return try block.segment.coderIdentifier(forBlock: block.index) == dictionary.identifier
        case .zstd: return dictionary == nil
        case .none, .lz4: return true
        case .valueCode: return false
        }
    }
}

extension StoredCodec {
    /// True if a stored block may stay as it is if new blocks get `target`. Does not distinguish levels and
    /// dictionaries of zstd. Blocks that did not compress well are stored plain with any target.
    package func isAcceptable(for target: BlockCodec) -> Bool {
        switch (self, target) {
        case (.none, _), (.lz4, .lz4), (.zstd, .zstd), (.zstdDictionary, .zstd): true
        default: false
        }
    }
}
