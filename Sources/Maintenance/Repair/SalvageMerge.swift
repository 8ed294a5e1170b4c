import ShaleBase
import ShaleMemtable

/// A source of versions of keys, iterated in the order of entries. Iteration skips lost parts.
protocol SalvageSource: AnyObject {
    var isEnded: Bool { get }

    // The current entry; valid until `advance`. Only if `isEnded` is false.
    var key: Bytes { get }
    var trailer: Trailer { get }
    var expiry: Int64 { get }
    var value: Bytes { get }

    /// Moves to the next entry. Before the first call there is no current entry.
    func advance() throws(StorageError)

    /// Returns a loss in this source that may have concerned `key`. The source's current key is not below `key`. Keys
    /// of successive calls ascend.
    func loss(about key: Bytes) -> Loss?
}

/// Merges all sources and delivers the newest version found of each key, with a loss that puts it in doubt.
///
/// **Why no older version returns.**
///
/// 1. The version of a key with the highest sequence was written last. Normalized sequences keep that order among live
///    segments.
/// 2. A newer version never lies in a source below an older one.
/// 3. So a lost version was newer than the one found only if it lay in the same source or in one above.
/// 4. The version found is therefore the newest, unless a loss in its own source or in one above may have concerned its
///    key.
struct SalvageMerge {
    /// The newest version of a key. Valid during the call that receives it.
    struct Found {
        let key: Bytes
        let trailer: Trailer
        let expiry: Int64
        let value: Bytes
        /// A loss that may have held a newer version.
        let doubt: Loss?
    }

    /// Newest first.
    private let sources: [any SalvageSource]
    /// The index from which on all sources are older than a loss that may have concerned any key.
    private let doubtfulFrom: Int
    private let generalLoss: Loss?

    init(_ sources: [any SalvageSource], doubtfulFrom: Int, _ generalLoss: Loss?) {
        self.sources = sources
        self.doubtfulFrom = doubtfulFrom
        self.generalLoss = generalLoss
    }

    func forEach(_ body: (Found) throws(StorageError) -> Void) throws(StorageError) {
        for source in sources { try source.advance() }
        var key = ByteBuffer(capacity: 64)
        while let newest = smallest() {
            let source = sources[newest]
            key.removeAll()
            key.append(source.key)
            try body(
                Found(
                    key: key.bytes, trailer: source.trailer, expiry: source.expiry, value: source.value,
                    doubt: doubt(about: key.bytes, in: newest)))
            for source in sources {
                while !source.isEnded, source.key == key.bytes { try source.advance() }
            }
        }
    }

    /// Returns the source with the first entry in the order of entries.
    private func smallest() -> Int? {
        var best: Int?
        for (index, source) in sources.enumerated() where !source.isEnded {
            guard let current = best else {
                best = index
                continue
            }
            let order = Bytes.compare(source.key, sources[current].key)
            if order < 0 || (order == 0 && source.trailer.rawValue > sources[current].trailer.rawValue) { best = index }
        }
        return best
    }

    /// Returns the loss that puts `key` in doubt. Asks all sources, because each one forgets losses below the key.
    private func doubt(about key: Bytes, in newest: Int) -> Loss? {
        var found: Loss?
        for (index, source) in sources.enumerated() {
            let loss = source.loss(about: key)
            if index <= newest, found == nil { found = loss }
        }
        return found ?? (newest >= doubtfulFrom ? generalLoss : nil)
    }
}

/// The entries found in logs, as a source of the merge.
final class MemtableSalvage: SalvageSource {
    private let cursor: EntryCursor
    private var index = -1

    init(_ memtable: Memtable) throws(StorageError) {
        cursor = memtable.makeCursor(headOffset: 0)
        try cursor.seek(nil, .forward)
    }

    private var entry: ShaleBase.Entry { unsafe cursor.run[index] }

    var isEnded: Bool { cursor.runCount == 0 }
    var key: Bytes { entry.key }
    var trailer: Trailer { entry.trailer }
    var expiry: Int64 { entry.trailer.kind.hasExpiry ? entry.expiry : 0 }
    var value: Bytes { entry.value }

    func advance() throws(StorageError) {
        index += 1
        guard index >= cursor.runCount else { return }
        try cursor.fill()
        index = 0
    }

    func loss(about key: Bytes) -> Loss? { nil }
}
