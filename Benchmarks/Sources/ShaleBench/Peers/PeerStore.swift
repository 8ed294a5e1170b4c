import PeerShims

/// The common part of all stores under test. One thread opens, uses and closes it.
protocol PeerStore {
    /// Opens the store; creates it if it is missing.
    func open() throws

    /// Ends all work and closes the store. All sessions have been released before.
    func close() throws

    /// Makes everything durable, and flushes the peer's memory to its files if the peer can.
    func flush() throws

    /// True if the peer reports pending background work. False if it can't tell.
    var isBusy: Bool { get }

    /// The peer's limit for all its memory in bytes, if it has one.
    var memoryBudgetBytes: Int? { get }
}

extension PeerStore {
    var isBusy: Bool { false }
    var memoryBudgetBytes: Int? { nil }
}

/// A store of bytes under ordered keys. Threads use its sessions.
protocol Peer: PeerStore, Sendable {
    /// Returns a session for one thread. A write has reached the device on return if `isSynced`, otherwise the page
    /// cache.
    func session(isSynced: Bool) throws -> any PeerSession

    /// Rewrites the store into its best form for reads; returns false if the peer can't.
    func compact() throws -> Bool

    /// Removes all entries in the peer's fastest durable way.
    func erase() throws

    /// The bytes of the write buffer in use; `nil` for peers without one.
    var writeBufferBytesUsed: Int? { get }
}

/// The direction of a scan.
enum ScanDirection: Sendable {
    case forward, reversed
}

/// One thread's access to a ``Peer``. Spans passed to a closure are valid until it returns.
protocol PeerSession: AnyObject {
    func put(_ value: RawSpan, forKey key: RawSpan) throws

    /// Puts an entry behind all others of the store.
    func append(_ value: RawSpan, forKey key: RawSpan) throws

    /// Puts the entries that `fill` passes to its argument, as one atomic batch.
    func putBatch(_ fill: ((_ key: RawSpan, _ value: RawSpan) throws -> Void) throws -> Void) throws

    /// Calls `body` with the borrowed value of `key`; returns false if the key is missing.
    func get(_ key: RawSpan, _ body: (_ value: RawSpan) -> Void) throws -> Bool

    /// Calls `body` with the borrowed value and the index of each existing key of `keys`, in any order.
    func multiget(_ keys: KeyGroup, _ body: (_ index: Int, _ value: RawSpan) -> Void) throws

    func delete(_ key: RawSpan) throws

    /// Calls `body` with borrowed entries in order, at one snapshot, until it returns false. Begins with the first
    /// entry at or after `key`; with an empty key, at the end that `direction` selects. Reversed scans have no key.
    func scan(
        from key: RawSpan, _ direction: ScanDirection,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws -> Bool
    ) throws
}

extension PeerSession {
    @inline(__always)
    func append(_ value: RawSpan, forKey key: RawSpan) throws { try put(value, forKey: key) }
}

/// Concatenated keys of the same length, with the pointer arrays that C interfaces need.
@safe
final class KeyGroup {
    let count: Int
    let keyBytes: Int
    /// Owned; the keys.
    private let start: UnsafeMutableRawPointer
    /// Owned; `count` pointers to the keys, and as many lengths.
    let pointers: UnsafeMutablePointer<UnsafePointer<CChar>?>
    let lengths: UnsafeMutablePointer<Int>

    init(count: Int, keyBytes: Int) {
        self.count = count
        self.keyBytes = keyBytes
        unsafe start = .allocate(byteCount: count * keyBytes, alignment: 8)
        unsafe pointers = .allocate(capacity: count)
        unsafe lengths = .allocate(capacity: count)
        unsafe lengths.initialize(repeating: keyBytes, count: count)
        for index in 0..<count {
            let key = unsafe start + index * keyBytes
            unsafe key.initializeMemory(as: UInt8.self, repeating: 0, count: keyBytes)
            unsafe (pointers + index).initialize(to: UnsafePointer(key.assumingMemoryBound(to: CChar.self)))
        }
    }

    deinit {
        unsafe start.deallocate()
        unsafe pointers.deallocate()
        unsafe lengths.deallocate()
    }

    func set(_ index: Int, _ key: RawSpan) {
        precondition(index < count && key.byteCount == keyBytes)
        unsafe key.withUnsafeBytes { key in
            guard let address = key.baseAddress else { return }
            unsafe (start + index * keyBytes).copyMemory(from: address, byteCount: keyBytes)
        }
    }

    subscript(index: Int) -> RawSpan {
        @_lifetime(borrow self) get {
            precondition(index < count)
            return unsafe _overrideLifetime(
                RawSpan(_unsafeStart: start + index * keyBytes, byteCount: keyBytes), borrowing: self)
        }
    }
}

/// Access for C interfaces.
extension RawSpan {
    /// Points to the span's bytes; valid as long as the span.
    @unsafe @inline(__always)
    var characters: UnsafePointer<CChar>? {
        unsafe withUnsafeBytes { unsafe $0.baseAddress?.assumingMemoryBound(to: CChar.self) }
    }
}

/// Passes what a lookup of PeerShims has found to `body`; returns false if the key is missing. Throws its error.
@unsafe @inline(__always)
func lend(
    _ result: shim_result, _ value: UnsafeRawBufferPointer, to body: (RawSpan) -> Void
) throws -> Bool {
    guard result != shim_missing else { return false }
    guard result == shim_found else { throw BenchError(unsafe String(decoding: value, as: UTF8.self)) }
    unsafe body(value.bytes)
    return true
}

/// Throws an error of an interface in LevelDB's style, a text that is freed here.
@inline(__always)
func check(
    _ error: UnsafeMutablePointer<CChar>?, _ free: (UnsafeMutableRawPointer?) -> Void
) throws {
    guard let error = unsafe error else { return }
    defer { unsafe free(error) }
    throw BenchError(unsafe String(cString: error))
}
