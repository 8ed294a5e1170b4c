import ShaleBase
import ShaleLog
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment

/// Reads the states of a store that another process may have open: one after the other, each as far as the manifest and
/// the logs have grown. ShaleEngine.docc, "Readers in other processes". Thread-safe.
///
/// A state is a prefix of batches and control operations:
///
/// 1. Everything is held while the follower reads, so no file that it is about to read disappears.
/// 2. The manifest is read first, to its end, and the logs second. A batch that was visible when an edit was written is
///    in a log by then. So the logs have every version that a job of the edit relied on when it removed older ones.
/// 3. A batch that follows a control operation or a new namespace that the manifest did not show yet ends the reading.
///    The manifest is read again: the operation was durable before the batch was written.
/// 4. A state notes where its batches end in the logs. Its first read inserts them into memtables that other states
///    share. They are invisible to older states, because a state reads at its own last sequence. Versions and
///    watermarks are never changed: a state has its own.
final class StateFollower: @unchecked Sendable {
    private let opener: StoreOpener
    private let parts: OpenParts
    /// Takes the place of the memtable for writes in every state.
    private let noWrites: Memtable

    private let lock = Lock()
    // Under `lock`.
    private var holds: StateHolds?
    private let manifest: ManifestFollower
    private var logs: FollowedLogs
    private var erasures = ErasureTable()
    private let recovery: RecoveryReport
    /// The news since the last state.
    private var news = ManifestFollower.News.everything
    /// The numbers of the segments of the last state, whose files were there with their sizes.
    private var checked: Set<UInt64> = []
    /// The last sequence of the last state, and its number.
    private var lastSequence: SequenceNumber = 0
    private var generation = 0

    /// Reads the first state as any opening does. The caller holds everything with `holds` meanwhile.
    init(_ opener: StoreOpener, _ parts: OpenParts, _ holds: StateHolds?) throws(StorageError) {
        self.opener = opener
        self.parts = parts
        self.holds = holds
        manifest = try ManifestFollower(in: parts.directories.root, makeSegment: parts.makeSegment)
        let state = manifest.state
        try opener.checkCatalogue(state)
        parts.clock.begin(state)
        let segments = state.version.levels.flatMap(\.segments)
        try opener.checkSegments(segments, parts.directories)
        checked = Set(segments.map(\.number))
        let replay = try opener.replay(state, parts, StoreFiles(parts.directories))
        var report = replay.report
        report.isOpenToOthers = parts.directories.root.isOpenToOthers
        recovery = report
        logs = try FollowedLogs(replay, parts, memtableBytes: opener.options.memtableBytes)
        do { noWrites = Memtable(arena: try parts.arenas.take()) } catch { throw error.storageError }
    }

    /// Returns the first state. The caller holds everything meanwhile.
    func open() throws(StorageError) -> OpenedStore {
        try lock.withLock { () throws(StorageError) in try makeState() }
    }

    /// Returns the newest state; `nil` if it is that of `number`.
    func refreshed(from number: Int) throws(StorageError) -> OpenedStore? {
        try lock.withLock { () throws(StorageError) in
            let search = try beginSearch()
            if PlantedBug.isActive(.releaseBeforeHolding) { search?.end() }
            defer { search?.end() }
            var attempts = ReadAttempts()
            while true {
                do throws(StorageError) {
                    try advance()
                    break
                } catch {
                    try attempts.fail(error)
                }
            }
            guard news.isAny || logs.hasNews || number != generation else { return nil }
            return try makeState()
        }
    }

    /// Holds everything. If the holds are not on the file that is LOCK now, they are begun anew: an owner may have made
    /// LOCK since.
    private func beginSearch() throws(StorageError) -> StateHold? {
        if let holds, try holds.isInPlace { return try holds.holdEverything() }
        let begun = try StateHolds.begin(in: parts.directories.root)
        holds = begun?.holds
        return begun?.search
    }

    private func advance() throws(StorageError) {
        try readManifest()
        while let unexplained = try logs.readOn(manifest.state) {
            guard try readManifest() else { throw unexplained }
        }
        if news.concernsCatalogue { try opener.checkCatalogue(manifest.state) }
        guard news.isAny else { return }
        let segments = manifest.state.version.levels.flatMap(\.segments)
        try opener.checkSegments(segments.filter { !checked.contains($0.number) }, parts.directories)
        checked = Set(segments.map(\.number))
    }

    /// Reads the manifest. Returns false if nothing was added.
    @discardableResult
    private func readManifest() throws(StorageError) -> Bool {
        let found = try manifest.advance()
        news.formUnion(found)
        return found.isAny
    }

    /// Makes a state of what was read. Under `lock`.
    private func makeState() throws(StorageError) -> OpenedStore {
        let state = manifest.state
        let last = max(logs.lastSequence, state.lastSequence)
        guard last >= lastSequence else {
            throw StorageError(
                .outdated, "the store is older than the state that was read before: open it again",
                file: StoreLayout.current)
        }
        let hold = try holds?.hold(state)
        parts.clock.raise(to: state.clockFloor)
        if news.concernsCatalogue {
            // Not changed: earlier states use it.
            erasures = ErasureTable()
            for record in state.catalogue.records.values { erasures.create(record) }
        }
        if news.isAny || logs.hasNews { generation += 1 }
        news = .none
        logs.hasNews = false
        lastSequence = last
        let batches = logs.batches
        let committer = Committer(
            log: nil, isReadOnly: true, memtable: noWrites, lastSequence: last, erasures: erasures,
            process: opener.environment.forks.mark)
        let view = View(mutable: noWrites, immutables: [], version: state.version, logs: [0])
            .filled(with: batches.present)
        return parts.opened(
            view, committer, nil, nil, nil, recovery, nil, state.catalogue, erasures: erasures,
            followed: FollowedState(
                follower: self, generation: generation, state: state, identity: manifest.identity, hold: hold,
                batches: batches))
    }
}

/// The state that a read-only engine shows, and its follower.
struct FollowedState {
    let follower: StateFollower
    let generation: Int
    /// The state in the manifest, to which the batches of the logs come.
    let state: StoreState
    let identity: CurrentFile
    let hold: StateHold?
    let batches: FollowedBatches
}
