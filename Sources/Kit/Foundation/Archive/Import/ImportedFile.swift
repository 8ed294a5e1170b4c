import Foundation
package import ShaleBase

/// The content of a file of another store.
enum ImportedFile {
    /// The size of the largest file that is read. The reader of each format has further limits:
    /// Shale.docc, "Limits of readers".
    static let bytesMax = 64 << 20

    case propertyList(StructuredValue)
    case archive(Data)
    case json(StructuredValue)

    /// Reads a file.
    ///
    /// - Throws: `.missing`; `.ioFailure`; `.invalidArgument` if it is too large or not a regular file; `.corruption`
    ///   if it is no property list and no keyed archive (binary or XML), or with `isJSON` no JSON.
    init(path: String, isJSON: Bool) throws(StorageError) {
        let bytes = try ArchiveFile.plain(try ImportedFile.read(path), path)
        if isJSON {
            self = .json(try ImportedFile.json(bytes))
        } else if bytes.starts(with: Array("bplist".utf8)) {
            self = try ImportedFile.binary(bytes)
        } else {
            self = try ImportedFile.binary(try ImportedFile.converted(bytes))
        }
    }

    /// Returns the bytes of a file. Throws `.missing`, `.ioFailure`, and `.invalidArgument` if it is too large or not a
    /// regular file.
    static func read(_ path: String) throws(StorageError) -> Data {
        let tooLarge = StorageError(.invalidArgument, "the file is larger than 64 MiB", file: path)
        guard try SourceFile.size(of: path) <= bytesMax else { throw tooLarge }
        let bytes: Data
        do {
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            // The file may have grown since its size was read.
            bytes = try file.read(upToCount: bytesMax + 1) ?? Data()
        } catch {
            throw SourceFile.failure(path, error)
        }
        guard bytes.count <= bytesMax else { throw tooLarge }
        return bytes
    }

    private static func binary(_ bytes: Data) throws(StorageError) -> ImportedFile {
        // Only archives have UIDs and name their archiver, so bytes that parse as an archive are one.
        do throws(StorageError) {
            _ = try KeyedArchive(bytes.bytes)
            return .archive(bytes)
        } catch {
            return .propertyList(try StructuredValue(binaryPropertyList: bytes.bytes))
        }
    }

    /// Converts an XML property list to the binary form, which is then parsed. `PropertyListDecoder` would decode a
    /// real without a fraction as an integer, and ends the process on lists nested some thousand deep. Foundation also
    /// takes any text for a property list of an older format, so only XML is passed to it.
    private static func converted(_ bytes: Data) throws(StorageError) -> Data {
        try checkXML(bytes)
        do {
            let list = try unsafe PropertyListSerialization.propertyList(from: bytes, format: nil)
            return try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        } catch {
            throw StorageError(.corruption, "the file is not a property list", cause: error)
        }
    }

    private static func checkXML(_ bytes: Data) throws(StorageError) {
        try unsafe bytes.bytes.withUnsafeBytes { (buffer) throws(StorageError) in
            do throws(ParseFailure) {
                try XMLPropertyListCheck.check(unsafe Bytes(buffer), depthMax: 256, elementsMax: 1 << 20)
            } catch {
                throw .corruption("the file is not a property list: \(error.reason)")
            }
        }
    }

    private static func json(_ bytes: Data) throws(StorageError) -> StructuredValue {
        try JSONCheck.check(bytes.bytes)
        do {
            return try JSONDecoder().decode(StructuredValue.self, from: bytes)
        } catch {
            throw StorageError(.corruption, "the file is not JSON", cause: error)
        }
    }
}

/// Reads property lists of names and values from files, binary or XML.
package enum PropertyListFile {
    /// Returns the members of the dictionary at the top. Throws `.missing`, `.ioFailure`, `.corruption` for a file of
    /// another format, and `.invalidArgument` if the file is larger than 64 MiB or not a regular file.
    package static func members(of path: String) throws(StorageError) -> [String: StructuredValue] {
        let file: ImportedFile
        do throws(StorageError) {
            file = try ImportedFile(path: path, isJSON: false)
        } catch {
            throw error.inFile(path)
        }
        guard case .propertyList(.dictionary(let members)) = file else {
            throw .corruption("the file is not a property list of names and values", file: path)
        }
        return members
    }
}

/// Checks that a file to import is regular and readable, and reports why if it is not.
package enum SourceFile {
    /// Returns the size in bytes of the regular file at `path`, without opening it.
    package static func size(of path: String) throws(StorageError) -> Int {
        let attributes: [FileAttributeKey: Any]
        do {
            attributes = try FileManager.default.attributesOfItem(atPath: path)
        } catch {
            throw failure(path, error)
        }
        guard attributes[.type] as? FileAttributeType == .typeRegular, let size = attributes[.size] as? Int else {
            throw StorageError(.invalidArgument, "not a regular file", file: path)
        }
        return size
    }

    /// Returns the error for a failure to read `path`, where `cause` is the error of Foundation.
    ///
    /// The result depends only on `cause`. A check whether the file exists would report a file as missing if its
    /// directory can't be searched.
    package static func failure(_ path: String, _ cause: any Error) -> StorageError {
        let code: StorageError.Code =
            switch (cause as? CocoaError)?.code {
            case .fileNoSuchFile?, .fileReadNoSuchFile?: .missing
            case .fileReadNoPermission?, .fileWriteNoPermission?: .locked
            default: .ioFailure
            }
        return StorageError(code, "the file can't be read", file: path, cause: cause)
    }
}
