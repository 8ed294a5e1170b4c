import ShaleBase
import ShaleManifest
import ShalePlatform
import Synchronization

/// Control operations. Each is one manifest edit that is durable on return.
///
/// After a crash the store is a prefix of batches and control operations alike:
///
/// 1. An operation holds the commit lock from taking its sequence to the end of the manifest's sync. So no batch with a
///    later sequence reaches the log before the operation is durable.
/// 2. It first makes the logs durable. So no batch with an earlier sequence can be lost while the operation survives.
/// 3. Creating a namespace takes no sequence, because no earlier batch can refer to the namespace.
///
/// Only a durable edit uses up its sequence: recovery treats a sequence that neither log nor manifest contains as
/// damage.
extension EngineCore {
    func createNamespace(_ name: [UInt8], _ options: [UInt8]) throws(StorageError) -> NamespaceID {
        if let record = catalogue.withLock({ $0.record(named: name) }) { return record.id }
        return try committer.exclusively { () throws(StorageError) -> NamespaceID in
            // Another thread may have created it meanwhile.
            let (existing, next, count) = catalogue.withLock { ($0.record(named: name), $0.nextID, $0.records.count) }
            if let existing { return existing.id }
            guard next < FormatLimits.namespaceIDs, count < FormatLimits.liveNamespaces else {
                throw .invalid(
                    "no more namespaces can be created: live=\(count) of \(FormatLimits.liveNamespaces), "
                        + "created=\(next)"
                )
            }
            let record = NamespaceRecord(id: NamespaceID(rawValue: next), name: name, options: options)
            try installLocked(ManifestEdit([.nextNamespaceID(next + 1), .namespaceCreated(record)]))
            // Live before it can be found, because a thread that finds it may write to it at once.
            erasures.create(record)
            refreshCatalogue()
            changeHub.adopt(record)
            return record.id
        }
    }

    /// Sets watermarks, drops namespaces or changes options, as one step. If one of `namespaces` was dropped, throws
    /// without any change.
    ///
    /// - Parameters:
    ///   - change: The change that subscribers are notified of.
    ///   - isDone: True if the operation would change nothing in a namespace whose newest batch has the given sequence.
    ///     Then nothing is written while the manifest is short of space, so that repetition can't use up the room for
    ///     edits that free space.
    func control(
        _ namespaces: [NamespaceID], telling change: ObservedChange.Kind? = nil,
        unless isDone: (NamespaceRecord, _ lastBatch: SequenceNumber) -> Bool = { _, _ in false },
        _ fact: (NamespaceID, SequenceNumber) -> ManifestEdit.Fact,
        _ apply: (NamespaceID, SequenceNumber, _ oldest: SequenceNumber?) -> Void
    ) throws(StorageError) {
        let namespaces = Set(namespaces).sorted()
        guard !namespaces.isEmpty else { return }
        _ = try writableManifest()
        // Makes most of the log durable here, while others write.
        if !PlantedBug.isActive(.skipLogBeforeControl) { try committer.syncIfBuffered() }
        var wakes = false
        try committer.exclusively(betweenSyncs: true) { () throws(StorageError) in
            for id in namespaces where !erasures.isLive(id) { throw Committer.droppedError(id) }
            if isNoOp(namespaces, isDone) { return }
            if !PlantedBug.isActive(.skipLogBeforeControl) { try committer.makeDurable() }
            let sequence = committer.nextSequence
            let last = PlantedBug.isActive(.forgetControlSequence) ? sequence - 1 : sequence
            try installLocked(ManifestEdit(namespaces.map { fact($0, sequence) } + [.lastSequence(last)]))
            committer.takeSequence()
            refreshCatalogue()
            // One step for snapshots, for two reasons:
            // 1. A reader without a snapshot sees the watermark at once. After it has seen that an entry is gone, a new
            //    snapshot must not contain the entry.
            // 2. No snapshot may begin that needs an older watermark after it was decided which of them to forget.
            if PlantedBug.isActive(.eraseBesideSnapshots) {
                for id in namespaces { apply(id, sequence, snapshots.oldest?.sequence) }
                SchedulePoint.reach(.visible)
                committer.visible.store(sequence, ordering: .releasing)
            } else {
                snapshots.betweenSnapshots { oldest in
                    for id in namespaces { apply(id, sequence, oldest?.sequence) }
                    committer.visible.store(sequence, ordering: .releasing)
                }
            }
            if let change { committer.publishChanges(change, namespaces, sequence) }
            wakes = committer.takeWakeup()
        }
        if wakes { committer.changes.wake() }
        background?.spaceMayHaveReturned()
        if case .inline = environment.scheduling { background?.runInlineInBackground() }
    }

    /// True if the operation would change nothing and the manifest is short of space. Under `committer.lock`.
    private func isNoOp(
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

    /// Copies the manifest's catalogue. Under `committer.lock`.
    private func refreshCatalogue() {
        guard let manifest else { return }
        let fresh = manifestLock.withLock { manifest.state.catalogue }
        catalogue.withLock { $0 = fresh }
    }
}
