/// One hot function of the engine under a load that is the same every time: fixed seeds, fixed sizes, no clock, no
/// thread but the caller's.
///
/// This module is for measuring the engine from inside (its functions are not public) and is **not API**: it may change
/// or go in any version. The micro-benchmarks and the gates use it: DESIGN.md, "Gates".
public struct HotPath: Sendable {
    /// As in the gate's threshold file.
    public let name: String
    /// What one operation is.
    public let operation: String
    /// How many operations the gates count.
    public let gateOperations: Int

    private let make: @Sendable () throws -> Body

    /// Runs so many operations and returns a digest of what they read, which is the same whenever their number is.
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

    /// Makes the data. Files, if the path has any, lie in a temporary directory that goes with the result.
    public func prepare() throws -> PreparedHotPath { PreparedHotPath(try make()) }
}

/// A hot path with its data. One thread at a time.
public final class PreparedHotPath {
    private let body: HotPath.Body

    init(_ body: @escaping HotPath.Body) { self.body = body }

    /// Runs `operations` operations and returns a digest of what they did.
    public func run(_ operations: Int) throws -> UInt64 { try body(operations) }
}

extension HotPath {
    /// All of them, from the lowest layer up.
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
