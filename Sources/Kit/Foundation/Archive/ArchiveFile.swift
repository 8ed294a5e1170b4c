public import Foundation
import ShaleBase
package import ShalePlatform

/// A file that holds one object of an `NSSecureCoding` class, or an array of them, as a keyed archive with a checksum.
///
/// ```swift
/// let file = ArchiveFile(folder + "/messages.archive")
/// try file.write([first, second])
/// let messages = try file.readAll(Message.self)    // nil: there is no such file
/// ```
/// Archives of other programs, without a checksum, can be read too. Objects shared when written are shared when read.
/// If several writers use a path, the last one wins; a reader sees one complete file.
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

    /// Writes an object as the whole file, mode 0600, durably and atomically: after a crash the file holds its previous
    /// content or this one.
    ///
    /// The directory must exist.
    ///
    /// - Throws: With the file unchanged: the errors of archiving
    ///   (``Shale/Store/Namespace/setArchived(_:forKey:options:durability:)``), `.missing` if the directory is missing,
    ///   `.noSpace`, `.locked` if permission is missing, `.ioFailure`.
    public func write(_ object: some NSObject & NSSecureCoding) throws(StorageError) {
        try write(archive: try ObjectArchive.encode(object))
    }

    /// Writes an array of objects, in the same way as one object.
    public func write<T: NSObject & NSSecureCoding>(_ objects: [T]) throws(StorageError) {
        try write(archive: try ObjectArchive.encode(NSArray(array: objects)))
    }

    func write(archive: Data) throws(StorageError) {
        let content = ArchiveFile.form.wrap(Array(archive))
        // Links on the way are followed, as usual; only the engine's own directories are stricter. A link at the end is
        // replaced.
        let url = URL(fileURLWithPath: path)
        let folder = url.deletingLastPathComponent().resolvingSymlinksInPath().path
        do throws(IOFailure) {
            let directory = try files.openDirectory(folder, create: false)
            try unsafe content.span.bytes.withUnsafeBytes { (bytes) throws(IOFailure) in
                try directory.replace(url.lastPathComponent, with: unsafe Bytes(bytes))
            }
        } catch {
            throw error.storageError
        }
    }

    // MARK: Reading

    /// Returns the object in the file; `nil` if there is no such file. `classes` are those of objects inside it.
    ///
    /// No error ends the process, and none turns into `nil`.
    ///
    /// - Throws: `.corruption` if the file is damaged or no archive, which is checked before the first object is made;
    ///   `.typeMismatch` and `.codecFailure` as in ``Shale/NamespaceReader/archived(_:forKey:allowing:)``; `.locked` if
    ///   permission for the file or a directory on its path is missing; `.ioFailure`; `.invalidArgument` above 64 MiB
    ///   and for anything but a regular file.
    public func read<T: NSObject & NSSecureCoding>(
        _ type: T.Type = T.self, allowing classes: ArchivedClasses = []
    ) throws(StorageError) -> T? {
        try reading { (archive) throws(StorageError) in try ObjectArchive.decode(T.self, archive, classes) }
    }

    /// Returns the array of objects in the file; `nil` if there is no such file. See ``read(_:allowing:)``.
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

    /// Returns the file's bytes; `nil` if the file is missing.
    private func content() throws(StorageError) -> [UInt8]? {
        let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let content: [UInt8]?
        do throws(IOFailure) {
            let directory = try files.openDirectory(url.deletingLastPathComponent().path, create: false)
            content = try directory.content(of: url.lastPathComponent, limit: ImportedFile.bytesMax)
        } catch {
            switch error.errorNumber {
            case ENOENT: return nil
            case EISDIR, EINVAL: throw StorageError(.invalidArgument, "not a regular file", file: path)
            default: throw error.storageError.inFile(path)
            }
        }
        guard let content else { throw StorageError(.invalidArgument, "the file is larger than 64 MiB", file: path) }
        return content
    }

    /// Returns the content inside a file's checksum, or the bytes unchanged if there is no checksum.
    static func plain(_ bytes: Data, _ path: String) throws(StorageError) -> Data {
        let bytes = Array(bytes)
        guard form.claims(bytes) else { return Data(bytes) }
        return Data(try form.unwrap(bytes, file: path))
    }
}
