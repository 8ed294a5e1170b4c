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
