package import ShaleBase
import ShaleManifest
package import ShaleSegment

/// Chooses the value code or the dictionary of each namespace before a job into the last level runs.
///
/// The choice uses metadata and a sample of the inputs' blocks. A dictionary of the inputs is kept if it still saves
/// nearly what it saved when it was new, so that their blocks can be copied. Otherwise one is trained, and used if it
/// saves enough. At most ``namespacesMax`` namespaces are considered, the largest first, each with 512 KiB of samples.
package struct DictionaryPlan {
    private static let namespacesMax = 16
    private static let sampleBytes = 512 << 10
    private static let dictionaryBytesMax = 112 << 10
    /// The share that a dictionary must save, in thousandths, because compressing with one costs half as much again.
    /// And the share that untrained samples must save before a dictionary is trained.
    private static let worthwhileShare: UInt32 = 150
    private static let savedShareMin: UInt32 = 100

    /// The compression of new blocks. A namespace has a value code or a dictionary, or neither.
    package struct Choice: Sendable {
        package var dictionaries: [NamespaceID: BlockDictionary] = [:]
        package var codes: [NamespaceID: SliceCode] = [:]
        /// The namespaces whose blocks are split, if blocks are; `nil` for all.
        package var split: Set<NamespaceID>?

        package var isEmpty: Bool { dictionaries.isEmpty && codes.isEmpty }
    }

    let job: CompactionJob
    let horizon: Horizon
    let options: CompactionOptions

    package init(job: CompactionJob, horizon: Horizon, options: CompactionOptions) {
        self.job = job
        self.horizon = horizon
        self.options = options
    }

    /// One input's part of a namespace.
    struct Part {
        let segment: Segment
        let slice: SliceRecord
    }

    /// True if the job may use dictionaries.
    package var isWorthwhile: Bool {
        guard job.isLast, options.trainsDictionaries, case .zstd(let level) = options.lastCodec else { return false }
        return level > 0
    }

    /// Returns the value code or the dictionary of each namespace that gets one. Ignores damage in a sample: the job
    /// may not need that block.
    package func choice() throws(StorageError) -> Choice {
        guard usesCodes else { return Choice(dictionaries: try dictionaries()) }
        var choice = Choice()
        var split: Set<NamespaceID> = []
        for (namespace, parts) in namespaces() {
            let form = try form(of: namespace, parts)
            if form.isSplit { split.insert(namespace) }
            if case .code(let code) = form { choice.codes[namespace] = code }
            if case .whole(let dictionary) = form { choice.dictionaries[namespace] = dictionary }
        }
        if options.splitsAll {
            choice.dictionaries = try dictionaries(besides: Set(choice.codes.keys))
        } else {
            choice.split = split
        }
        return choice
    }

    /// Returns the dictionary of each namespace that gets one and has no value code.
    package func dictionaries(
        besides others: Set<NamespaceID> = []
    ) throws(StorageError) -> [NamespaceID: BlockDictionary] {
        guard isWorthwhile else { return [:] }
        var chosen: [NamespaceID: BlockDictionary] = [:]
        for (namespace, parts) in namespaces() where !others.contains(namespace) {
            chosen[namespace] = try dictionary(of: namespace, parts)
        }
        return chosen
    }

    private var usesCodes: Bool {
        options.splitsBlocks && job.isLast && options.lastCodec != .none
    }

    /// True if the job tries to find a value code or a dictionary for each namespace.
    package var isSought: Bool { isWorthwhile || usesCodes }

    /// Returns the namespaces with the most data, if they have enough for a dictionary.
    private func namespaces() -> [(NamespaceID, [Part])] {
        var parts: [NamespaceID: [Part]] = [:]
        for segment in job.segments {
            for slice in segment.metadata.slices where isEligible(slice) {
                parts[slice.namespace, default: []].append(Part(segment: segment, slice: slice))
            }
        }
        return parts.filter { dataBytes($0.value) >= options.dictionaryDataBytesMin || job.kind == .rewrite }
            .sorted { (dataBytes($1.value), $0.key.rawValue) < (dataBytes($0.value), $1.key.rawValue) }
            .prefix(DictionaryPlan.namespacesMax).map { ($0.key, $0.value) }
    }

    /// True unless all entries of the slice are erased. Such a slice says nothing about the output, and its dictionary
    /// contains pieces of its values, so it must be removed with them.
    private func isEligible(_ slice: SliceRecord) -> Bool {
        let erasure = horizon.erasure(of: slice.namespace)
        guard !erasure.isDropped, slice.maxSequence > erasure.truncatedThrough() else { return false }
        return slice.purgeableCount < slice.entryCount || slice.maxPurgeableSequence > erasure.purgedThrough()
    }

    func dataBytes(_ parts: [Part]) -> UInt64 { parts.reduce(0) { $0 + $1.slice.dataBytes } }

    func dictionary(of namespace: NamespaceID, _ parts: [Part]) throws(StorageError) -> BlockDictionary? {
        let known = try largestDictionary(of: namespace, parts)
        // A rewrite copies the blocks that it leaves unchanged.
        if let known, job.kind == .rewrite { return known }
        guard dataBytes(parts) >= options.dictionaryDataBytesMin else { return nil }
        var trainer = DictionaryTrainer(options.lastCodec)
        var charge = BufferCharge(options.budget)
        sample(parts) { (block, segment, isTest) throws(StorageError) in
            try trainer.add(block, of: segment, asTest: isTest)
        }
        charge.set(trainer.memoryBytes)
        guard !trainer.isEmpty else { return nil }
        let plain = trainer.testBytes(nil)
        if let known {
            let share = trainer.savedShare(known, of: plain)
            if share >= DictionaryPlan.worthwhileShare, share * 5 >= known.savedShare * 4 { return known }
        }
        guard trainer.trialShare(of: plain) >= DictionaryPlan.savedShareMin else { return nil }
        let bytesMax = min(DictionaryPlan.dictionaryBytesMax, Int(dataBytes(parts) / 64))
        guard let fresh = trainer.train(bytesMax: bytesMax, of: plain),
            fresh.savedShare >= DictionaryPlan.worthwhileShare
        else { return nil }
        return fresh
    }

    /// Returns the dictionary of the largest slice that has one.
    private func largestDictionary(
        of namespace: NamespaceID, _ parts: [Part]
    ) throws(StorageError) -> BlockDictionary? {
        let users = parts.filter(\.segment.metadata.hasDictionaries).sorted { $1.slice.dataBytes < $0.slice.dataBytes }
        for user in users {
            if let dictionary = try user.segment.blockDictionary(of: namespace) { return dictionary }
        }
        return nil
    }

    /// Passes blocks at equal distances over all inputs to `add`. Every fourth block is a test sample.
    func sample(_ parts: [Part], _ add: (Int, Segment, Bool) throws(StorageError) -> Void) {
        let blockCount = parts.reduce(0) { $0 + Int($1.slice.blockCount) }
        let wanted = min(blockCount, max(8, DictionaryPlan.sampleBytes / options.blockBytes))
        var first = 0
        var sampled = 0
        for part in parts {
            let end = first + Int(part.slice.blockCount)
            while sampled < wanted, sampled * blockCount / wanted < end {
                let block = Int(part.slice.firstBlock) + sampled * blockCount / wanted - first
                let isTest = sampled % 4 == 3
                sampled += 1
                do throws(StorageError) {
                    try add(block, part.segment, isTest)
                } catch {
                    // The job itself reports the damage, if it needs this block.
                    continue
                }
            }
            first = end
        }
    }
}
