import ShaleBase
import ShalePlatform

/// 256 secret bits. They exist once, in memory of their own that is overwritten when the last reference goes, and can't be
/// printed, compared or encoded by accident. Thread-safe.
@safe
public final class SecretKey: @unchecked Sendable {
    public static let byteCount = 32

    /// ``byteCount`` bytes. Written by initialisers only.
    private let memory: UnsafeMutableRawPointer

    private var bytes: MutableBytes { unsafe MutableBytes(start: memory, count: SecretKey.byteCount) }

    /// A new random key, from the kernel's generator.
    public init() throws(StorageError) {
        unsafe memory = .allocate(byteCount: SecretKey.byteCount, alignment: 16)
        bytes.zero(0, SecretKey.byteCount)
        do throws(IOFailure) { try SecretMemory.fill(bytes) } catch { throw error.storageError }
    }

    /// A copy of 32 bytes; throws `.invalidArgument` for any other number. The original is the caller's to overwrite.
    public init(copying source: RawSpan) throws(StorageError) {
        guard source.byteCount == SecretKey.byteCount else {
            throw .invalid("a key is \(source.byteCount) bytes, not \(SecretKey.byteCount)")
        }
        unsafe memory = .allocate(byteCount: SecretKey.byteCount, alignment: 16)
        unsafe source.withUnsafeBytes { bytes.copy(unsafe Bytes($0), at: 0) }
    }

    /// Takes 32 bytes and overwrites them where they were. Throws `.invalidArgument` for any other number.
    public convenience init(wiping source: inout [UInt8]) throws(StorageError) {
        defer { SecretKey.wipe(&source) }
        try unsafe self.init(copying: source.span.bytes)
    }

    deinit {
        SecretMemory.wipe(bytes)
        unsafe memory.deallocate()
    }

    /// Lends the bits. What copies them answers for the copies.
    public func withBytes<R>(_ body: (RawSpan) throws(StorageError) -> R) throws(StorageError) -> R {
        try body(unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: memory, count: SecretKey.byteCount)))
    }

    /// Overwrites an array that held secret bytes. Copies of it that were made before are not found.
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
