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
