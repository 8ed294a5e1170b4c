import ShaleBase
import ShalePlatform

/// One hot function of the engine under a fixed load: fixed seeds, fixed sizes, no clock, and only the caller's thread.
///
/// This module measures the engine from inside (its functions are not public). It is **not API**: any version may
/// change or remove it. The micro-benchmarks and the gates use it: ShaleEngine.docc, "Gates".
public struct HotPath: Sendable {
    /// The name in the gate's threshold file.
    public let name: String
    /// A description of one operation.
    public let operation: String
    /// The number of operations that the gates count.
    public let gateOperations: Int

    private let make: @Sendable () throws -> Body

    /// Runs `operations` operations and returns a digest of what they read, which depends only on their number.
    typealias Body = (_ operations: Int) throws -> UInt64

    init(
        _ name: String, _ operation: String, gateOperations: Int = HotPathData.count,
        _ make: @escaping @Sendable () throws -> Body
    ) {
        self.name = name
        self.operation = operation
        self.gateOperations = gateOperations
        self.make = make
    }

    /// Makes the data.
    ///
    /// Files, if the path needs any, lie in a temporary directory that is removed with the result.
    public func prepare() throws -> PreparedHotPath { PreparedHotPath(try make()) }
}

/// A hot path with its data.
///
/// One thread at a time uses it.
public final class PreparedHotPath {
    private let body: HotPath.Body

    init(_ body: @escaping HotPath.Body) { self.body = body }

    /// Runs `operations` operations and returns a digest of what they did.
    public func run(_ operations: Int) throws -> UInt64 { try body(operations) }
}

extension HotPath {
    /// All hot paths, from the lowest layer up.
    public static let all: [HotPath] = [
        checksum(bytes: 128), checksum(bytes: 4096),
        memtableInsert, memtableGet, memtableScan,
        filterProbe, cacheHit, blockSearch, blockScan, blockEncode, segmentGet,
        mergeStep, recordAppend,
        engineGetMemtable, engineGetSegment, engineGetMissing, enginePut, engineBatch,
        cursorSeek, cursorReseek, cursorNext, cursorPrevious,
        typedGetMemtable, typedGetSegment, typedGetMissing, typedSet,
    ]
}

/// The entries of all hot paths: 16-digit keys and 100-byte values, visited in a pseudo-random order.
struct HotPathData: Sendable {
    /// A power of two, so that the order of visits is a permutation.
    static let count = 1 << 14
    static let valueBytes = 100
    static let keyBytes = 16
    static let namespace = NamespaceID(rawValue: 1)

    private static let stride = EncodedKey.namespaceWidth + keyBytes
    private let keys: OwnedBytes
    private let values: OwnedBytes

    /// Makes the data. Keys are the decimal numbers below 2 × ``count``: even ones are stored, odd ones are missing.
    init() {
        keys = OwnedBytes(count: 2 * HotPathData.count * HotPathData.stride)
        let namespace = EncodedKey.start(of: HotPathData.namespace)
        for number in 0..<2 * HotPathData.count {
            let key = namespace + HotPathData.digits(number)
            let place = keys.mutable.slice(number * HotPathData.stride, HotPathData.stride)
            unsafe key.withUnsafeBytes { place.copy(unsafe Bytes($0), at: 0) }
        }
        // Half of each value is noise, so that it compresses only in part.
        values = OwnedBytes(count: HotPathData.count + HotPathData.valueBytes)
        let random = SeededRandom(seed: 7)
        var at = 0
        while at < values.count {
            let isNoise = at / 50 % 2 == 0
            values.mutable.store(isNoise ? UInt8(truncatingIfNeeded: random.next()) : 0x61, at: at)
            at += 1
        }
    }

    private static func digits(_ number: Int) -> [UInt8] {
        var rest = number
        var digits = [UInt8](repeating: 0x30, count: keyBytes)
        for index in digits.indices.reversed() where rest > 0 {
            digits[index] = UInt8(0x30 + rest % 10)
            rest /= 10
        }
        return digits
    }

    /// Returns the `step`-th entry to visit: every entry once in ``count`` steps.
    @inline(__always)
    static func visit(_ step: Int) -> Int { (step &* 0x9E37_79B1) & (count &- 1) }

    /// Returns the encoded key of entry `index`. Keys ascend with `index`.
    @inline(__always)
    func key(_ index: Int) -> Bytes { keys.bytes.slice(2 &* index &* HotPathData.stride, HotPathData.stride) }

    /// Returns a key between those of entries `index` and `index` + 1, which is never stored.
    @inline(__always)
    func missingKey(_ index: Int) -> Bytes {
        keys.bytes.slice((2 &* index &+ 1) &* HotPathData.stride, HotPathData.stride)
    }

    @inline(__always)
    func userKey(_ index: Int) -> Bytes { key(index).suffix(from: EncodedKey.namespaceWidth) }

    @inline(__always)
    func missingUserKey(_ index: Int) -> Bytes { missingKey(index).suffix(from: EncodedKey.namespaceWidth) }

    @inline(__always)
    func value(_ index: Int) -> Bytes { values.bytes.slice(index, HotPathData.valueBytes) }
}
