import ShaleBase

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
