import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment

/// One repair: finds the newest version of each key and decides whether it is kept.
struct StoreRepair {
    private let store: DamagedStore
    /// `nil` if no store is made and the damage is only surveyed.
    private let builder: StoreBuilder?
    private let options: RepairOptions
    private let now: Int64
    private let progress: MaintenanceProgress.Handler

    private var catalogue: Catalogue
    /// The loss that makes every entry uncertain; `nil` if there is none.
    private var manifestLoss: Loss?
    private var logLoss: Loss?
    private let collected = CollectedLosses()
    private(set) var report = RepairReport()
    private var lastSequence: SequenceNumber = 0

    init(
        _ store: DamagedStore, _ builder: StoreBuilder?, _ options: RepairOptions, _ now: Int64,
        _ progress: @escaping MaintenanceProgress.Handler
    ) {
        self.store = store
        self.builder = builder
        self.options = options
        self.now = store.state.clock(at: now).0.trusted
        self.progress = progress
        catalogue = store.state.catalogue
    }

    mutating func run() throws(StorageError) {
        var logs = LogSalvage(store)
        try logs.run(store.logNumbers())
        report.tornBytes = logs.tornBytes
        report.hasManifest = store.hasManifest && !logs.contradictsManifest
        for loss in store.losses + logs.losses { collected.add(loss) }
        logLoss = logs.losses.last
        if logs.contradictsManifest {
            collected.add(
                Loss(
                    file: StoreLayout.manifestPrefix, offset: 0, bytes: nil,
                    reason: "the logs name a namespace that the manifest does not have"))
        }
        if !report.hasManifest { manifestLoss = collected.losses.first { $0.report.entries == nil } }
        lastSequence = max(store.state.lastSequence, logs.lastSequence)

        let segments = try segmentRuns(collected)
        let memtables = logs.memtables.reversed()
        var sources: [any SalvageSource] = []
        for memtable in memtables { sources.append(try MemtableSalvage(memtable)) }
        let doubtfulFrom =
            logLoss == nil ? Int.max : logs.memtables.count - logs.certainFrom
        let merge = SalvageMerge(sources + segments, doubtfulFrom: doubtfulFrom, logLoss)
        try merge.forEach { (found) throws(StorageError) in try write(found) }
        try builder?.finish(identity)
        report.losses = collected.losses.map(\.report)
        report.storedBytes = builder?.storedBytes ?? 0
    }

    private var identity: StoreBuilder.Identity {
        let random = SystemRandom()
        return StoreBuilder.Identity(
            catalogue: catalogue, lastSequence: lastSequence, clockFloor: store.state.clockFloor,
            storeID: store.current?.storeID ?? StoreID(random.next(), random.next()),
            createdMilliseconds: store.current?.createdMilliseconds ?? now)
    }

    // MARK: Sources

    /// Returns the sources of segments, newest first: each segment of L0, then each other level as a whole. Without a
    /// manifest these are all existing segments, needed or not.
    private mutating func segmentRuns(_ collected: CollectedLosses) throws(StorageError) -> [any SalvageSource] {
        let runs: [[Segment]]
        if report.hasManifest {
            let levels = store.state.version.levels.map(\.segments)
            runs = levels[0].map { [$0] } + levels.dropFirst().filter { !$0.isEmpty }
        } else {
            runs = try strayedSegments(collected).map { [$0] }
        }
        let total = runs.joined().reduce(UInt64(0)) { $0 + $1.metadata.fileBytes }
        let progress = ByteProgress(total, progress)
        return runs.map { run in
            SegmentRunSalvage(
                run, progress: { (bytes) throws(StorageError) in try progress.add(bytes) },
                report: { collected.add($0) })
        }
    }

    private mutating func strayedSegments(_ collected: CollectedLosses) throws(StorageError) -> [Segment] {
        guard let directory = store.segments else { return [] }
        var found: [Segment] = []
        for number in try store.segmentNumbers() {
            do {
                let metadata = try Segment.metadata(
                    number: number, directory: directory, environment: store.environment)
                lastSequence = max(lastSequence, metadata.maxSequence)
                found.append(store.makeSegment(metadata))
            } catch {
                guard error.isLossOfBytes else { throw error }
                collected.add(
                    Loss(
                        file: StoreLayout.segmentPath(number),
                        offset: error.offset ?? 0, bytes: nil, reason: error.message))
            }
        }
        return found
    }

    // MARK: Entries

    private mutating func write(_ found: SalvageMerge.Found) throws(StorageError) {
        let id = EncodedKey.namespace(of: found.key)
        guard let erasure = erasure(of: id) else { return }
        let observer = ReadPoint(sequence: .max, wallMilliseconds: now)
        guard Visibility.isPresent(found.trailer, expiry: found.expiry, erasure, at: observer) else { return }
        if let doubt = manifestLoss ?? found.doubt {
            doubt.report.doubtedEntries += 1
            guard options.keepsUncertain, try makeName(id) else {
                report.withheldEntries += 1
                return
            }
            report.uncertainEntries += 1
        }
        try place(found)
    }

    /// Adds an entry to the new store, with its value. A value that can't be read is a loss; an older version of its
    /// key does not come back.
    private mutating func place(_ found: SalvageMerge.Found) throws(StorageError) {
        guard found.trailer.kind.isReference else {
            report.placedEntries += 1
            try builder?.add(found.key, found.trailer, found.expiry, found.value)
            return
        }
        do throws(StorageError) {
            let value = try store.value(found.value)
            defer { withExtendedLifetime(value) {} }
            report.placedEntries += 1
            try builder?.add(
                found.key, Trailer(found.trailer.sequence, found.trailer.kind.ofValue), found.expiry, value.bytes)
        } catch {
            guard error.isLossOfBytes else { throw error }
            let loss = Loss(
                file: error.file ?? StoreLayout.segmentDirectory, offset: error.offset ?? 0, bytes: nil,
                reason: error.lossReason, entries: 1)
            let key = found.key.array()
            loss.report.keys = LostKeys(key, key)
            collected.add(loss)
        }
    }

    /// Returns the erasure of a namespace; `nil` if it was dropped. If the manifest is lost, an unknown namespace
    /// counts as alive.
    private mutating func erasure(of id: NamespaceID) -> Erasure? {
        if let record = catalogue.records[id] {
            return Erasure(truncatedThrough: record.truncatedThrough, purgedThrough: record.purgedThrough)
        }
        guard !report.hasManifest else { return nil }
        report.namelessEntries[id, default: 0] += 1
        return Erasure()
    }

    /// Gives the namespace a name if it has none. Returns false if it can't have one.
    private mutating func makeName(_ id: NamespaceID) throws(StorageError) -> Bool {
        guard catalogue.records[id] == nil else { return true }
        catalogue.nextID = max(catalogue.nextID, id.rawValue &+ 1)
        do throws(ParseFailure) {
            try catalogue.insert(NamespaceRecord(id: id, name: LostAndFound.name(of: id), options: []))
            return true
        } catch {
            return false
        }
    }
}

/// The names for entries whose namespace has lost its name: `lost+found/ID` in the common space.
private enum LostAndFound {
    static func name(of id: NamespaceID) -> [UInt8] {
        // The format of names: Shale.docc, "Names and options of namespaces".
        [1] + component("lost+found") + component(String(id.rawValue))
    }

    private static func component(_ text: String) -> [UInt8] {
        [UInt8(text.utf8.count), 0] + Array(text.utf8)
    }
}
