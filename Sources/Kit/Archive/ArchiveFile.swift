public import Foundation
import ShaleBase
package import ShalePlatform

/// A file that holds one object of an `NSSecureCoding` class, or an array of them: a keyed archive, with a checksum.
///
/// ```swift
/// let file = ArchiveFile(folder + "/messages.archive")
/// try file.write([first, second])
/// let messages = try file.readAll(Message.self)    // nil: there is no such file
/// ```
/// Archives that others have written, without a checksum, are read too. Objects that are shared in what was written are shared in what is
/// read. Whoever writes to a path last counts; a reader sees one whole file or another.
public struct ArchiveFile: Sendable {
    private static let form = CheckedFile(magic: "SHALEARC")

    public let path: String
    private let files: any FileSystem

    public init(_ path: String) { self.init(path, PosixFileSystem()) }

    package init(_ path: String, _ files: any FileSystem) {
        self.path = path
        self.files = files
    }

    // MARK: Writing

    /// Writes an object as the whole of the file, mode 0600, durably and as one step: after a crash at any moment the file holds
    /// what it held before or this. The directory must be there.
    ///
    /// Errors: those of archiving (``Shale/Namespace/setArchived(_:forKey:_:durability:)``), `.missing` without the directory, `.noSpace`,
    /// `.locked` without permission, `.ioFailure`: the file is as it was.
    public func write(_ object: some NSObject & NSSecureCoding) throws(StorageError) {
        try write(archive: try ObjectArchive.encode(object))
    }

    /// Writes an array of objects. As for one.
    public func write<T: NSObject & NSSecureCoding>(_ objects: [T]) throws(StorageError) {
        try write(archive: try ObjectArchive.encode(NSArray(array: objects)))
    }

    func write(archive: Data) throws(StorageError) {
        let content = ArchiveFile.form.wrap(Array(archive))
        // Links on the way are followed, as everywhere else; the engine's own directories are stricter. One at the end is
        // replaced.
        let place = URL(fileURLWithPath: path)
        let folder = place.deletingLastPathComponent().resolvingSymlinksInPath().path
        do throws(IOFailure) {
            let directory = try files.openDirectory(folder, create: false)
            try unsafe content.span.bytes.withUnsafeBytes { (bytes) throws(IOFailure) in
                try directory.replace(place.lastPathComponent, with: unsafe Bytes(bytes))
            }
        } catch {
            throw error.storageError
        }
    }

    // MARK: Reading

    /// The object in the file; `nil` when there is no such file. `classes` are those of objects inside it.
    ///
    /// Errors: `.corruption` for a file that is damaged or no archive, which is checked before the first object is made;
    /// `.typeMismatch` and `.codecFailure` as for ``Shale/Namespace/archived(_:forKey:allowing:)``; `.locked` without permission for the
    /// file or for a directory on its path; `.ioFailure`; `.invalidArgument` above 64 MiB and for what is no file. None of
    /// them ends the process, and none is `nil`.
    public func read<T: NSObject & NSSecureCoding>(
        _ type: T.Type = T.self, allowing classes: ArchivedClasses = []
    ) throws(StorageError) -> T? {
        try reading { (archive) throws(StorageError) in try ObjectArchive.decode(T.self, archive, classes) }
    }

    /// The array of objects in the file; `nil` when there is no such file. As for one object.
    public func readAll<T: NSObject & NSSecureCoding>(
        _ type: T.Type = T.self, allowing classes: ArchivedClasses = []
    ) throws(StorageError) -> [T]? {
        try reading { (archive) throws(StorageError) in try ObjectArchive.decodeAll(T.self, archive, classes) }
    }

    private func reading<R>(_ body: (Data) throws(StorageError) -> R) throws(StorageError) -> R? {
        guard let bytes = try content() else { return nil }
        let archive = try ArchiveFile.plain(Data(bytes), path)
        do throws(StorageError) { return try body(archive) } catch { throw error.inFile(path) }
    }

    /// The file's bytes; `nil` when it is missing.
    private func content() throws(StorageError) -> [UInt8]? {
        let place = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let content: [UInt8]?
        do throws(IOFailure) {
            let directory = try files.openDirectory(place.deletingLastPathComponent().path, create: false)
            content = try directory.content(of: place.lastPathComponent, limit: ImportedFile.bytesMax)
        } catch {
            switch error.errorNumber {
            case ENOENT: return nil
            case EISDIR, EINVAL: throw StorageError(.invalidArgument, "not a regular file", file: path)
            default: throw error.storageError.inFile(path)
            }
        }
        guard let content else { throw StorageError(.invalidArgument, "a file is larger than 64 MiB", file: path) }
        return content
    }

    /// What a file holds inside its checksum, if it has one.
    static func plain(_ bytes: Data, _ path: String) throws(StorageError) -> Data {
        let bytes = Array(bytes)
        guard form.claims(bytes) else { return Data(bytes) }
        return Data(try form.unwrap(bytes, file: path))
    }
}
