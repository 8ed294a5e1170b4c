import ShaleBase
import ShaleMemtable

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
