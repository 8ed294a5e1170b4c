public import ShaleBase
public import ShaleEngine
import ShalePlatform

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The long functions for `async` callers. They run on threads of the library and never block a thread of the task
/// pool. If the task is cancelled, they throw `.cancelled`: at once if they have not begun, otherwise at their next
/// progress.
extension Maintenance {
    /// Adds a backup of an open store to the directory `path`, as the function that blocks does.
    @discardableResult
    public nonisolated(nonsending) static func backUp(
        _ engine: Engine, to path: String, options: BackupOptions = BackupOptions(),
        progress: @escaping @Sendable (MaintenanceProgress) -> Void = { _ in }
    ) async throws(StorageError) -> BackupInfo {
        try await BlockingWork.run(reportingTo: progress) { (report) throws(StorageError) in
            try backUp(engine, to: path, options: options, progress: report)
        }
    }

    /// Makes a store from a backup in the directory `target`, as the function that blocks does.
    @discardableResult
    public nonisolated(nonsending) static func restore(
        from path: String, number: UInt64? = nil, into target: String, options: BackupOptions = BackupOptions(),
        progress: @escaping @Sendable (MaintenanceProgress) -> Void = { _ in }
    ) async throws(StorageError) -> BackupInfo {
        try await BlockingWork.run(reportingTo: progress) { (report) throws(StorageError) in
            try restore(from: path, number: number, into: target, options: options, progress: report)
        }
    }

    /// Makes a store as it was at `time` in the directory `target`, as the function that blocks does.
    @discardableResult
    public nonisolated(nonsending) static func restore(
        from path: String, at time: Date, into target: String, options: BackupOptions = BackupOptions(),
        progress: @escaping @Sendable (MaintenanceProgress) -> Void = { _ in }
    ) async throws(StorageError) -> BackupInfo {
        try await BlockingWork.run(reportingTo: progress) { (report) throws(StorageError) in
            try restore(from: path, at: time, into: target, options: options, progress: report)
        }
    }

    /// Reads and checks every byte that the store at `path` needs, as the function that blocks does.
    public nonisolated(nonsending) static func verify(
        storeAt path: String, threads: Int? = nil,
        progress: @escaping @Sendable (MaintenanceProgress) -> Void = { _ in }
    ) async throws(StorageError) -> StoreVerification {
        try await BlockingWork.run(reportingTo: progress) { (report) throws(StorageError) in
            try verify(storeAt: path, threads: threads, progress: report)
        }
    }

    /// Copies all entries of the store at `path` into a new store in the directory `target`, as the function that
    /// blocks does.
    @discardableResult
    public nonisolated(nonsending) static func copy(
        storeAt path: String, into target: String, options: Engine.Options = Engine.Options(),
        progress: @escaping @Sendable (MaintenanceProgress) -> Void = { _ in }
    ) async throws(StorageError) -> CopyReport {
        try await BlockingWork.run(reportingTo: progress) { (report) throws(StorageError) in
            try copy(storeAt: path, into: target, options: options, progress: report)
        }
    }
}
