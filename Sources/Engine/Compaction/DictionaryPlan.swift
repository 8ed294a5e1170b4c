package import ShaleBase
import ShaleManifest
package import ShaleSegment

/// Chooses, before a job into the last level runs, with which dictionary each namespace's blocks will be compressed.
///
/// From metadata and a sample of the inputs' blocks: a dictionary of the inputs that still saves nearly what it saved when it
/// was new goes on, so that their blocks can be copied as they are; otherwise one is trained, and kept if it is worth
/// its place. Bounded: at most ``namespacesMax`` namespaces, the largest first, each with half a MiB of samples.
package struct DictionaryPlan {
    private static let namespacesMax = 16
    private static let sampleBytes = 512 << 10
    private static let dictionaryBytesMax = 112 << 10
    /// Thousandths that a dictionary has to save, since compressing with one costs half as much again; and that samples taken as
    /// one have to before it is trained.
    private static let worthwhileShare: UInt32 = 150
    private static let promisingShare: UInt32 = 100

    let job: CompactionJob
    let horizon: Horizon
    let options: CompactionOptions

    package init(job: CompactionJob, horizon: Horizon, options: CompactionOptions) {
        self.job = job
        self.horizon = horizon
        self.options = options
    }

    /// One input's part of a namespace.
    private struct Part {
        let segment: Segment
        let slice: SliceRecord
    }

    /// Whether dictionaries are for this job at all.
    package var isSought: Bool {
        guard job.isLast, options.trainsDictionaries, case .zstd(let level) = options.lastCodec else { return false }
        return level > 0
    }

    /// Damage that a sample meets is left to the job, which may not need that block.
    package func dictionaries() throws(StorageError) -> [NamespaceID: BlockDictionary] {
        guard isSought else { return [:] }
        var chosen: [NamespaceID: BlockDictionary] = [:]
        for (namespace, parts) in namespaces() {
            chosen[namespace] = try dictionary(of: namespace, parts)
        }
        return chosen
    }

    /// Those with most data, if it is enough to be worth a dictionary.
    private func namespaces() -> [(NamespaceID, [Part])] {
        var parts: [NamespaceID: [Part]] = [:]
        for segment in job.segments {
            for slice in segment.metadata.slices where isOfUse(slice) {
                parts[slice.namespace, default: []].append(Part(segment: segment, slice: slice))
            }
        }
        return parts.filter { dataBytes($0.value) >= options.dictionaryDataBytesMin || job.kind == .rewrite }
            .sorted { (dataBytes($1.value), $0.key.rawValue) < (dataBytes($0.value), $1.key.rawValue) }
            .prefix(DictionaryPlan.namespacesMax).map { ($0.key, $0.value) }
    }

    /// Not when all of it is erased: it says nothing of what will be written, and its dictionary, which holds pieces of its values,
    /// has to go with it.
    private func isOfUse(_ slice: SliceRecord) -> Bool {
        let erasure = horizon.erasure(of: slice.namespace)
        guard !erasure.isDropped, slice.maxSequence > erasure.truncatedThrough() else { return false }
        return slice.purgeableCount < slice.entryCount || slice.maxPurgeableSequence > erasure.purgedThrough()
    }

    private func dataBytes(_ parts: [Part]) -> UInt64 { parts.reduce(0) { $0 + $1.slice.dataBytes } }

    private func dictionary(of namespace: NamespaceID, _ parts: [Part]) throws(StorageError) -> BlockDictionary? {
        let known = try largestDictionary(of: namespace, parts)
        // What a rewrite leaves in place can be copied.
        if let known, job.kind == .rewrite { return known }
        guard dataBytes(parts) >= options.dictionaryDataBytesMin else { return nil }
        var trainer = DictionaryTrainer(options.lastCodec)
        var charge = BufferCharge(options.budget)
        sample(parts, into: &trainer)
        charge.set(trainer.memoryBytes)
        guard !trainer.isEmpty else { return nil }
        let plain = trainer.testBytes(nil)
        if let known {
            let share = trainer.savedShare(known, of: plain)
            if share >= DictionaryPlan.worthwhileShare, share * 5 >= known.savedShare * 4 { return known }
        }
        guard trainer.trialShare(of: plain) >= DictionaryPlan.promisingShare else { return nil }
        let bytesMax = min(DictionaryPlan.dictionaryBytesMax, Int(dataBytes(parts) / 64))
        guard let fresh = trainer.train(bytesMax: bytesMax, of: plain),
            fresh.savedShare >= DictionaryPlan.worthwhileShare
        else { return nil }
        return fresh
    }

    /// That of the largest slice which has one.
    private func largestDictionary(
        of namespace: NamespaceID, _ parts: [Part]
    ) throws(StorageError) -> BlockDictionary? {
        let users = parts.filter(\.segment.metadata.hasDictionaries).sorted { $1.slice.dataBytes < $0.slice.dataBytes }
        for user in users {
            if let dictionary = try user.segment.blockDictionary(of: namespace) { return dictionary }
        }
        return nil
    }

    /// Blocks at even distances over all inputs; every fourth is there to judge by.
    private func sample(_ parts: [Part], into trainer: inout DictionaryTrainer) {
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
                    try trainer.add(block, of: part.segment, asTest: isTest)
                } catch {
                    // The job itself meets the damage, if it needs this block.
                    continue
                }
            }
            first = end
        }
    }
}
