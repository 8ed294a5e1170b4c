public import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment

/// Reads the files of a store without opening it: no lock, no recovery, no writes.
///
/// It works on a store that a process has open, whose files may change meanwhile, and on a damaged store. Damage
/// becomes a ``Finding`` with file and offset, and the rest is shown. It is meant for tools; programs should open the
/// store.
///
/// Thread-safe. Every call reads the files again, and takes memory for its result and a few MiB.
public final class StoreInspector: Sendable {
    let root: any Directory
    let environment: SegmentEnvironment

    private static let memoryBytes = 16 << 20
    private static let openFiles = 64

    /// Creates an inspector of the store at `path`.
    ///
    /// - Parameter path: The store's directory.
    /// - Throws: `.missing` if the directory does not exist, or the operating system's error.
    public init(at path: String) throws(StorageError) {
        do throws(IOFailure) {
            root = try PosixFileSystem().openDirectory(path, create: false)
        } catch {
            throw error.storageError
        }
        environment = SegmentEnvironment(memoryBudget: Self.memoryBytes, openFileLimit: Self.openFiles)
    }

    func logs() throws(StorageError) -> any Directory { try directory(StoreLayout.logDirectory) }

    func segments() throws(StorageError) -> any Directory { try directory(StoreLayout.segmentDirectory) }

    private func directory(_ name: String) throws(StorageError) -> any Directory {
        do { return try root.openDirectory(name, create: false) } catch { throw error.storageError }
    }

    /// The numbers of the existing logs, ascending.
    public func logNumbers() throws(StorageError) -> [UInt64] {
        try numbers(in: logs(), StoreLayout.logNumber)
    }

    /// The numbers of the existing segments, ascending.
    public func segmentNumbers() throws(StorageError) -> [UInt64] {
        try numbers(in: segments(), StoreLayout.segmentNumber)
    }

    private func numbers(
        in directory: any Directory, _ number: (String) -> UInt64?
    ) throws(StorageError) -> [UInt64] {
        do { return try directory.list().compactMap(number).sorted() } catch { throw error.storageError }
    }

    /// Returns the path of a log, relative to the store.
    public static func logName(_ number: UInt64) -> String { StoreLayout.logPath(number) }

    /// Returns the path of a segment, relative to the store.
    public static func segmentName(_ number: UInt64) -> String { StoreLayout.segmentPath(number) }
}

/// Repeats `look` while it finds different damage each time.
///
/// The process that has the store open may replace files between two reads of one call, which then looks like missing
/// files or damage. Real damage is the same the next time. A result without damage ends the repetition, and so does the
/// last of `attemptsMax`.
func readUntilStable<Result, Failure: Error>(
    _ findings: (Result) -> [Finding], _ look: () throws(Failure) -> Result
) throws(Failure) -> Result {
    let attemptsMax = 20
    var last: [Finding]?
    for _ in 1..<attemptsMax {
        let result = try look()
        let damage = findings(result).filter(\.isDamage)
        if damage.isEmpty || damage == last { return result }
        last = damage
    }
    return try look()
}
