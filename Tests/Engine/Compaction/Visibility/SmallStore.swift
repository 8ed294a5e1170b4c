import ShaleBase
import ShaleCompaction
import ShaleManifest

/// A store of one key without files. The engine's own retention flushes and merges its runs; the engine's own
/// visibility rule reads them.
///
/// The store is a value, so that every continuation of a script starts from a copy.
struct SmallStore {
    enum Step: Character, CaseIterable {
        case put = "p"
        case putPurgeable = "q"
        case putExpiring = "x"
        case putBoth = "y"
        case delete = "d"
        case purge = "U"
        case truncate = "T"
        case snapshot = "s"
        case release = "r"
        case time = "z"
        case flush = "f"
        case mergeTop = "m"
        case mergeAll = "M"
        case rewriteTop = "w"
        case reopen = "O"
    }

    private struct Stored {
        let trailer: Trailer
        let expiry: Int64
        /// The number of the version in the history; `nil` once the version has become a tombstone.
        let number: Int?
    }

    private static let id = NamespaceID(rawValue: 1)

    private(set) var history = KeyHistory()
    private var sequence: UInt64 = 0
    private var now: Int64 = 100
    private var erasure = Erasure()
    private var snapshots: [ReadPoint] = []
    /// The versions in the memtable, newest first.
    private var memtable: [Stored] = []
    /// The runs, newest first, each with its newest version first.
    private var runs: [[Stored]] = []

    private static let versionsMax = 4
    private static let snapshotsMax = 2
    private static let erasuresMax = 3

    /// Performs a step. Returns false if the step would change nothing, or exceed a limit of the small store.
    mutating func perform(_ step: Step) -> Bool {
        switch step {
        case .put: return write(.put)
        case .putPurgeable: return write(.put(purgeable: true, hasExpiry: false))
        case .putExpiring: return write(.put(purgeable: false, hasExpiry: true))
        case .putBoth: return write(.put(purgeable: true, hasExpiry: true))
        case .delete: return write(.delete)
        case .purge, .truncate: return erase(step)
        case .snapshot:
            guard snapshots.count < SmallStore.snapshotsMax else { return false }
            snapshots.append(ReadPoint(sequence: sequence, wallMilliseconds: now))
        case .release:
            guard !snapshots.isEmpty else { return false }
            snapshots.removeFirst()
        case .time:
            guard history.versions.contains(where: { $0.trailer.kind.hasExpiry }) else { return false }
            now += 10
        case .flush:
            guard !memtable.isEmpty else { return false }
            // A flush uses a horizon with the newest run as its input and all other runs below.
            runs.insert(retained(memtable, isBottom: runs.isEmpty, normalises: false), at: 0)
            memtable = []
        case .mergeTop:
            guard runs.count >= 2 else { return false }
            merge(2)
        case .mergeAll:
            guard !runs.isEmpty else { return false }
            merge(runs.count)
        case .rewriteTop:
            guard runs.count >= 2 else { return false }
            runs[0] = retained(runs[0], isBottom: false, normalises: false)
        case .reopen: reopen()
        }
        return true
    }

    private mutating func write(_ kind: EntryKind) -> Bool {
        guard history.versions.count < SmallStore.versionsMax else { return false }
        sequence += 1
        let trailer = Trailer(sequence, kind)
        let expiry = kind.hasExpiry ? now + 5 : 0
        memtable.insert(Stored(trailer: trailer, expiry: expiry, number: history.versions.count), at: 0)
        history.write(trailer, expiry: expiry)
        return true
    }

    private mutating func erase(_ step: Step) -> Bool {
        guard history.purges.count + history.truncations.count < SmallStore.erasuresMax, !history.versions.isEmpty
        else {
            return false
        }
        sequence += 1
        if step == .purge {
            history.purge(at: sequence)
            erasure.purges.append(sequence)
        } else {
            history.truncate(at: sequence)
            erasure.truncations.append(sequence)
        }
        erasure.forget(before: snapshots.map(\.sequence).min() ?? .max)
        return true
    }

    /// Reopens the store. Snapshots end with the process, the manifest keeps the newest watermarks, and the log becomes
    /// a run.
    private mutating func reopen() {
        snapshots = []
        erasure = Erasure(truncatedThrough: erasure.truncatedThrough(), purgedThrough: erasure.purgedThrough())
        if !memtable.isEmpty { _ = perform(.flush) }
    }

    private mutating func merge(_ count: Int) {
        let input = runs[0..<count].flatMap { $0 }.sorted { $0.trailer.rawValue > $1.trailer.rawValue }
        let isBottom = count == runs.count
        runs.replaceSubrange(0..<count, with: [retained(input, isBottom: isBottom, normalises: isBottom)])
    }

    private func retained(_ input: [Stored], isBottom: Bool, normalises: Bool) -> [Stored] {
        let horizon = Horizon(snapshots: snapshots, wallMilliseconds: now, erasures: [SmallStore.id: erasure])
        var retention = Retention(horizon, normalises: normalises)
        retention.beginKey(SmallStore.id)
        var output: [Stored] = []
        for stored in input {
            switch retention.judge(stored.trailer, expiry: stored.expiry, isBottom: { isBottom }) {
            case .keep(let trailer):
                output.append(Stored(trailer: trailer, expiry: stored.expiry, number: stored.number))
            case .tombstone(let trailer): output.append(Stored(trailer: trailer, expiry: 0, number: nil))
            case .drop: break
            }
        }
        return output
    }

    // MARK: Checks

    /// A description of the first error, or `nil`: an observer finds another result than the history gives, or versions
    /// are out of order.
    var problem: String? {
        for observer in snapshots + [ReadPoint(sequence: sequence, wallMilliseconds: now)] {
            let found = find(observer)
            let expected = history.find(observer)
            if found != expected {
                return "at sequence \(observer.sequence), time \(observer.wallMilliseconds): "
                    + "version \(found.map { "\($0)" } ?? "none") instead of \(expected.map { "\($0)" } ?? "none")"
            }
        }
        let order = (memtable + runs.flatMap { $0 }).map(\.trailer.sequence)
        for (newer, older) in zip(order, order.dropFirst()) where newer <= older {
            return "sequences out of order: \(order)"
        }
        return nil
    }

    /// Returns the number of the version that the observer finds. Searches the memtable, then the runs from the newest.
    /// The first version that is not too new decides.
    private func find(_ observer: ReadPoint) -> Int? {
        for run in [memtable] + runs {
            guard let stored = run.first(where: { $0.trailer.sequence <= observer.sequence }) else { continue }
            let isPresent = Visibility.isPresent(stored.trailer, expiry: stored.expiry, erasure, at: observer)
            return isPresent ? stored.number ?? -1 : nil
        }
        return nil
    }

    /// True if a read at the present finds the key.
    var isPresent: Bool { history.find(ReadPoint(sequence: sequence, wallMilliseconds: now)) != nil }

    /// The number of stored versions.
    var storedCount: Int { memtable.count + runs.reduce(0) { $0 + $1.count } }
}

/// The complete history of one key, which defines the result of every read.
struct KeyHistory {
    struct Version: Equatable {
        let trailer: Trailer
        let expiry: Int64
    }

    private(set) var versions: [Version] = []
    private(set) var truncations: [UInt64] = []
    private(set) var purges: [UInt64] = []

    mutating func write(_ trailer: Trailer, expiry: Int64) {
        versions.append(Version(trailer: trailer, expiry: expiry))
    }

    mutating func truncate(at sequence: UInt64) { truncations.append(sequence) }
    mutating func purge(at sequence: UInt64) { purges.append(sequence) }

    /// Returns the number of the version that the observer finds.
    func find(_ observer: ReadPoint) -> Int? {
        guard let newest = versions.lastIndex(where: { $0.trailer.sequence <= observer.sequence }) else { return nil }
        let trailer = versions[newest].trailer
        if trailer.kind.isDelete { return nil }
        for mark in truncations where mark <= observer.sequence && trailer.sequence <= mark { return nil }
        if trailer.kind.isPurgeable {
            for mark in purges where mark <= observer.sequence && trailer.sequence <= mark { return nil }
        }
        if trailer.kind.hasExpiry, versions[newest].expiry <= observer.wallMilliseconds { return nil }
        return newest
    }
}
