public import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment

/// The files of a store, read without opening it: no lock, no recovery, nothing written.
///
/// Works on a store that a process has open, whose files may change meanwhile, and on damaged ones: what does not hold
/// becomes a ``Finding`` that names file and offset, and the rest is shown. For tools; programs use a store.
///
/// Thread-safe. Every call reads the files anew, and takes memory for what it returns and a few MiB.
public final class StoreInspector: Sendable {
    let root: any Directory
    let environment: SegmentEnvironment

    private static let memoryBytes = 16 << 20
    private static let openFiles = 64

    /// - Parameter path: the store's directory.
    ///
    /// Throws `.missing` when there is no directory, and what the operating system refuses.
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

    /// The numbers of the logs that are there, ascending.
    public func logNumbers() throws(StorageError) -> [UInt64] {
        try numbers(in: logs(), StoreLayout.logNumber)
    }

    /// The numbers of the segments that are there, ascending.
    public func segmentNumbers() throws(StorageError) -> [UInt64] {
        try numbers(in: segments(), StoreLayout.segmentNumber)
    }

    private func numbers(
        in directory: any Directory, _ number: (String) -> UInt64?
    ) throws(StorageError) -> [UInt64] {
        do { return try directory.list().compactMap(number).sorted() } catch { throw error.storageError }
    }

    /// The name of a log, relative to the store.
    public static func logName(_ number: UInt64) -> String {
        StoreLayout.logDirectory + "/" + StoreLayout.log(number)
    }

    /// The name of a segment, relative to the store.
    public static func segmentName(_ number: UInt64) -> String {
        StoreLayout.segmentDirectory + "/" + StoreLayout.segment(number)
    }
}
