/// A store of bytes under ordered keys. What threads work with are its sessions.
protocol Peer: PeerStore, Sendable {
    /// A thread's access. With `isSynced` a write has reached the device when it returns, without it the page cache.
    func session(isSynced: Bool) throws -> any PeerSession

    /// Rewrites the store into the form that is best for reading; false when there is nothing of the kind.
    func compact() throws -> Bool

    /// Removes all entries, in the quickest durable way that the peer has.
    func erase() throws

    /// Bytes of the write buffer that are in use; `nil` for peers without one.
    var writeBufferBytesUsed: Int? { get }
}

/// The direction of a scan.
enum ScanDirection: Sendable {
    case forward, reversed
}

/// One thread's access to a ``Peer``. Spans that are lent to a closure hold until it returns.
protocol PeerSession: AnyObject {
    func put(_ value: RawSpan, forKey key: RawSpan) throws

    /// Puts what `fill` hands to its argument, as one atomic batch.
    func putBatch(_ fill: ((_ key: RawSpan, _ value: RawSpan) throws -> Void) throws -> Void) throws

    /// Lends the value of `key` to `body`; false when it is not there.
    func get(_ key: RawSpan, _ body: (_ value: RawSpan) -> Void) throws -> Bool

    /// Lends the values of those of `keys` that are there to `body`, with their index, in any order.
    func multiget(_ keys: KeyGroup, _ body: (_ index: Int, _ value: RawSpan) -> Void) throws

    func delete(_ key: RawSpan) throws

    /// Lends entries to `body` in order, as of one moment, until it returns false. Begins with the first entry at or
    /// after `key`; without a key (an empty one) at the end that `direction` says. Reversed scans have no key.
    func scan(
        from key: RawSpan, _ direction: ScanDirection,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws -> Bool
    ) throws
}
