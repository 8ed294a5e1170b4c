import Shale
public import ShaleBase
public import ShaleEngine

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The functions by URL. A URL that is no file URL is `.invalidArgument`.
extension Maintenance {
    /// Adds a backup of an open store to the directory at `url`. See `backUp(_:to:options:progress:)`.
    @discardableResult
    public static func backUp(
        _ engine: Engine, to url: URL, options: BackupOptions = BackupOptions(),
        progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> BackupInfo {
        try backUp(engine, to: try url.storePath, options: options, progress: progress)
    }

    /// Makes a store from a backup in the directory at `target`. See
    /// `restore(from:number:into:options:progress:)`.
    @discardableResult
    public static func restore(
        from url: URL, number: UInt64? = nil, into target: URL, options: BackupOptions = BackupOptions(),
        progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> BackupInfo {
        try restore(
            from: try url.storePath, number: number, into: try target.storePath, options: options, progress: progress)
    }

    /// Makes a store as it was at `time` in the directory at `target`. See
    /// `restore(from:at:into:options:progress:)`.
    @discardableResult
    public static func restore(
        from url: URL, at time: Date, into target: URL, options: BackupOptions = BackupOptions(),
        progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> BackupInfo {
        try restore(
            from: try url.storePath, at: time, into: try target.storePath, options: options, progress: progress)
    }

    /// Reads and checks every byte that the store at `url` needs. See
    /// `verify(storeAt:threads:progress:)`.
    public static func verify(
        storeAt url: URL, threads: Int? = nil, progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> StoreVerification {
        try verify(storeAt: try url.storePath, threads: threads, progress: progress)
    }

    /// Copies all entries of the store at `url` into a new store at `target`. See
    /// `copy(storeAt:into:options:progress:)`.
    @discardableResult
    public static func copy(
        storeAt url: URL, into target: URL, options: Engine.Options = Engine.Options(),
        progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> CopyReport {
        try copy(storeAt: try url.storePath, into: try target.storePath, options: options, progress: progress)
    }
}
