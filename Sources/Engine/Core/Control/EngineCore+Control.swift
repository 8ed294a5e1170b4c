import ShaleBase
import ShaleManifest
import ShalePlatform
import Synchronization

/// Control operations: each is one manifest edit that is durable on return.
///
/// They hold the commit lock from taking their sequence to the end of the manifest's sync, so no batch with a later
/// sequence can be in the log before them, and make the logs durable first, so no batch with an earlier one can be lost
/// behind them: after a crash the store is a prefix of batches and control operations alike. Creating a namespace takes
/// no sequence: no batch before it can be about it.
///
/// A sequence is used up only by an edit that is durable: recovery takes a sequence that neither log nor manifest knows
/// for damage.
extension EngineCore {
    func createNamespace(_ name: [UInt8], _ options: [UInt8]) throws(StorageError) -> NamespaceID {
        if let record = catalogue.withLock({ $0.record(named: name) }) { return record.id }
        return try committer.exclusively { () throws(StorageError) -> NamespaceID in
            // Somebody else may have made it meanwhile.
            let (existing, next, count) = catalogue.withLock { ($0.record(named: name), $0.nextID, $0.records.count) }
            if let existing { return existing.id }
            guard next < FormatLimits.namespaceIDs, count < FormatLimits.liveNamespaces else {
                throw .invalid("no more namespaces: live=\(count) of \(FormatLimits.liveNamespaces), made=\(next)")
            }
            let record = NamespaceRecord(id: NamespaceID(rawValue: next), name: name, options: options)
            try installLocked(ManifestEdit([.nextNamespaceID(next + 1), .namespaceCreated(record)]))
            // Live before it can be found: whoever finds it may write to it at once.
            erasures.create(record)
            refreshCatalogue()
            changeHub.adopt(record)
            return record.id
        }
    }

    /// Sets watermarks, drops, or changes options. All of `namespaces` live, or nothing happens. Subscribers are told of
    /// `change`.
    ///
    /// `isDone` tells of a namespace whose newest batch has the sequence given that nothing would change. While the manifest is
    /// short of space nothing is written then, so that repetition can't use up the room of edits that give space back.
    func control(
        _ namespaces: [NamespaceID], telling change: ObservedChange.Kind? = nil,
        unless isDone: (NamespaceRecord, _ lastBatch: SequenceNumber) -> Bool = { _, _ in false },
        _ fact: (NamespaceID, SequenceNumber) -> ManifestEdit.Fact,
        _ apply: (NamespaceID, SequenceNumber, _ oldest: SequenceNumber?) -> Void
    ) throws(StorageError) {
        let namespaces = Set(namespaces).sorted()
        guard !namespaces.isEmpty else { return }
        _ = try writableManifest()
        // Most of what has to be durable first becomes so here, while others write.
        if !PlantedBug.isActive(.skipLogBeforeControl) { try committer.syncIfBuffered() }
        var wakes = false
        try committer.exclusively(betweenSyncs: true) { () throws(StorageError) in
            for id in namespaces where !erasures.isLive(id) { throw Committer.droppedError(id) }
            if isSuperfluous(namespaces, isDone) { return }
            if !PlantedBug.isActive(.skipLogBeforeControl) { try committer.makeDurable() }
            let sequence = committer.nextSequence
            let last = PlantedBug.isActive(.forgetControlSequence) ? sequence - 1 : sequence
            try installLocked(ManifestEdit(namespaces.map { fact($0, sequence) } + [.lastSequence(last)]))
            committer.takeSequence()
            refreshCatalogue()
            // One step for snapshots. A reader of the present sees the watermark as soon as it is set, and whoever has
            // seen something gone must not find it in a snapshot that he makes then. Nor may a snapshot begin that needs
            // an older watermark, after it was decided which of them are forgotten.
            snapshots.betweenSnapshots { oldest in
                for id in namespaces { apply(id, sequence, oldest?.sequence) }
                committer.visible.store(sequence, ordering: .releasing)
            }
            if let change { committer.tell(change, namespaces, sequence) }
            wakes = committer.takeNews()
        }
        if wakes { committer.changes.wake() }
        background?.spaceMayHaveReturned()
        if case .inline = environment.scheduling { background?.runInlineInBackground() }
    }

    /// Under `committer.lock`.
    private func isSuperfluous(
        _ namespaces: [NamespaceID], _ isDone: (NamespaceRecord, SequenceNumber) -> Bool
    ) -> Bool {
        guard let manifest else { return false }
        let last = committer.lastBatchSequence
        return manifestLock.withLock {
            manifest.isShortOfSpace
                && namespaces.allSatisfy { id in manifest.state.catalogue.records[id].map { isDone($0, last) } ?? false
                }
        }
    }

    /// Under `committer.lock`.
    private func refreshCatalogue() {
        guard let manifest else { return }
        let fresh = manifestLock.withLock { manifest.state.catalogue }
        catalogue.withLock { $0 = fresh }
    }
}
