import ShaleBase
import ShalePlatform

/// A secret key of 256 bits. Thread-safe.
///
/// The bits exist once, in memory of their own. The last release of the key overwrites them. They can't be printed,
/// compared or encoded by accident.
@safe
public final class SecretKey: @unchecked Sendable {
    public static let byteCount = 32

    /// Holds ``byteCount`` bytes. Only initializers write it.
    private let memory: UnsafeMutableRawPointer

    private var bytes: MutableBytes { unsafe MutableBytes(start: memory, count: SecretKey.byteCount) }

    /// Makes a random key with the kernel's generator.
    public init() throws(StorageError) {
        unsafe memory = .allocate(byteCount: SecretKey.byteCount, alignment: 16)
        bytes.zero(0, SecretKey.byteCount)
        do throws(IOFailure) { try SecretMemory.fill(bytes) } catch { throw error.storageError }
    }

    /// Copies 32 bytes. Throws `.invalidArgument` for any other number. The caller has to overwrite the original.
    public init(copying source: RawSpan) throws(StorageError) {
        guard source.byteCount == SecretKey.byteCount else {
            throw .invalid("a key is \(source.byteCount) bytes, not \(SecretKey.byteCount)")
        }
        unsafe memory = .allocate(byteCount: SecretKey.byteCount, alignment: 16)
        unsafe source.withUnsafeBytes { bytes.copy(unsafe Bytes($0), at: 0) }
    }

    /// Copies 32 bytes and overwrites the original. Throws `.invalidArgument` for any other number.
    public convenience init(wiping source: inout [UInt8]) throws(StorageError) {
        defer { SecretKey.wipe(&source) }
        try unsafe self.init(copying: source.span.bytes)
    }

    deinit {
        SecretMemory.wipe(bytes)
        unsafe memory.deallocate()
    }

    /// Passes the bits to `body`. A body that copies them is responsible for the copies.
    public func withBytes<R>(_ body: (RawSpan) throws(StorageError) -> R) throws(StorageError) -> R {
        try body(unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: memory, count: SecretKey.byteCount)))
    }

    /// Overwrites an array that held secret bytes. Copies of the array made earlier are not overwritten.
    public static func wipe(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { (buffer) in
            guard let start = buffer.baseAddress else { return }
            SecretMemory.wipe(unsafe MutableBytes(start: start, count: buffer.count))
        }
    }

    /// Overwrites memory that held secret bytes.
    package static func wipe(_ buffer: UnsafeMutableRawBufferPointer) {
        guard let start = buffer.baseAddress else { return }
        SecretMemory.wipe(unsafe MutableBytes(start: start, count: buffer.count))
    }
}

/// The source of a store's master key. The product `ShaleEncryption` has the usual ones: a key, a file, a passphrase,
/// an environment variable, a closure.
///
/// Shale calls it when it opens a store that has encrypted values, and at the first encrypted write of a store that has
/// none. It never calls it while holding a lock.
public protocol KeyProvider: Sendable {
    /// Returns the parameters that ``key(for:)`` needs to derive the same key again, for example a salt and costs.
    ///
    /// They are stored with the store in the clear; at most 1024 bytes. Called once, before the first key.
    func makeParameters() throws(StorageError) -> [UInt8]

    /// Returns the key. The same parameters must give the same key.
    ///
    /// - Throws: `.missingKey` if no key is available. The message must not contain anything secret.
    func key(for parameters: [UInt8]) throws(StorageError) -> SecretKey
}

extension KeyProvider {
    /// Returns no parameters.
    public func makeParameters() throws(StorageError) -> [UInt8] { [] }
}
