import ShaleBase

/// One of the places in which versions of keys are found, walked in the order of entries past everything that is lost.
protocol SalvageSource: AnyObject {
    var isEnded: Bool { get }

    // What it stands on; lent until `advance`. Only while `isEnded` is false.
    var key: Bytes { get }
    var trailer: Trailer { get }
    var expiry: Int64 { get }
    var value: Bytes { get }

    /// Goes on to the next entry. Before the first call the source stands nowhere.
    func advance() throws(StorageError)

    /// A loss in this source that may have been about `key`; the source does not stand below `key`. Keys asked for ascend.
    func loss(about key: Bytes) -> Loss?
}
