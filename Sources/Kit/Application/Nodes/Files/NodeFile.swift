package import ShaleBase
import ShalePlatform

/// The file of a key, of all long keys with one hash, or of all long names of nodes with one hash (``NodeFileName``).
/// On disk, do not change: a ``CheckedFile`` `SHALEVAL` of a ``NameBucket``. Keys have their envelopes as content,
/// names have none.
package enum NodeFile {
    private static let form = CheckedFile(magic: "SHALEVAL")
    private static let bytesMax = CheckedFile.overheadBytes + 8 + NodeLimits.nameBytes + NodeLimits.valueBytes

    package static func bytes(_ bucket: NameBucket) -> [UInt8] { form.wrap(bucket.bytes) }

    /// Throws `.corruption` if the bytes are no such file, `.newerFormat` for another format.
    package static func parse(_ bytes: [UInt8], _ file: String) throws(StorageError) -> NameBucket {
        let content = try form.unwrap(bytes, file: file)
        return try unsafe content.span.bytes.withUnsafeBytes { (buffer) throws(StorageError) in
            do throws(ParseFailure) {
                return try NameBucket(parsing: unsafe Bytes(buffer))
            } catch {
                throw .corruption(
                    "the file is not valid: \(error.reason)", file: file, offset: UInt64(CheckedFile.headerBytes))
            }
        }
    }

    /// Returns `nil` if there is no such file.
    static func read(_ file: String, in directory: any Directory) throws(StorageError) -> NameBucket? {
        let bytes: [UInt8]?
        do throws(IOFailure) {
            bytes = try directory.content(of: file, limit: bytesMax)
        } catch {
            guard error.isMissing else { throw error.storageError }
            return nil
        }
        guard let bytes else {
            throw .corruption("the file is longer than any that Shale writes", file: file, offset: 0)
        }
        return try parse(bytes, file)
    }

    /// Writes the file durably. Throws `.invalidArgument` if it would be too large to be read.
    static func write(_ bucket: NameBucket, _ file: String, in directory: any Directory) throws(StorageError) {
        let content = bytes(bucket)
        guard content.count <= bytesMax else {
            throw StorageError(
                .invalidArgument,
                "the values of keys with one hash are \(content.count) bytes, over the limit of \(bytesMax)")
        }
        do throws(IOFailure) {
            try unsafe content.span.bytes.withUnsafeBytes { (buffer) throws(IOFailure) in
                try directory.replace(file, with: unsafe Bytes(buffer))
            }
        } catch {
            throw error.storageError
        }
    }
}

/// Maps names, which are any text, to names of files and directories. On disk, do not change.
///
/// Letters a … z, digits and `_` stand for themselves; every other byte of the UTF-8 is `-` and two hexadecimal digits.
/// No name therefore has a meaning for the file system. File systems that ignore case, or normalize Unicode, still keep
/// all names apart. A name that would exceed ``literalBytesMax`` is replaced by its hash, and a file contains the whole
/// name:
///
/// | begins with | stands for |
/// |---|---|
/// | `k-` | a key's file, spelled out |
/// | `kh-` | the file of all long keys with one hash |
/// | `n-` | a node's directory, spelled out |
/// | `nr-` | the register of the long names of nodes with one hash: a file |
/// | `nh-` | the directory of the first name in that register; `-` and a number follow for later names |
enum NodeFileName {
    static let literalBytesMax = 200

    private static let escaped = EscapedText(mark: "-", plain: "abcdefghijklmnopqrstuvwxyz0123456789_")

    enum Kind {
        case key, node, register
    }

    /// Returns the name of a key's file or of a node's directory; `nil` if the name is too long to be spelled out.
    static func literal(_ name: String, _ kind: Kind) -> String? {
        guard name.utf8.count <= literalBytesMax else { return nil }
        let literal = escaped.text(name.utf8)
        guard literal.utf8.count <= literalBytesMax else { return nil }
        return (kind == .key ? "k-" : "n-") + literal
    }

    static func longKeys(_ hash: UInt64) -> String { "kh-" + hash.hexadecimalDigits }
    static func register(_ hash: UInt64) -> String { "nr-" + hash.hexadecimalDigits }
    static func longNode(_ hash: UInt64, _ index: Int) -> String { "nh-" + NameBucket.numbered(hash, index) }

    static func kind(of fileName: String) -> Kind? {
        if fileName.hasPrefix("k-") || isLongKeys(fileName) { return .key }
        if fileName.hasPrefix("n-") || fileName.hasPrefix("nh-") { return .node }
        return fileName.hasPrefix("nr-") ? .register : nil
    }

    static func isLongKeys(_ fileName: String) -> Bool { fileName.hasPrefix("kh-") }

    /// Returns the key that a file's name spells out; `nil` if there is none.
    static func key(_ fileName: String) -> String? {
        guard fileName.hasPrefix("k-") else { return nil }
        return escaped.bytes(fileName.dropFirst(2)).flatMap { String(validating: $0, as: UTF8.self) }
    }
}

/// The directory of a child, beside those of its siblings in `nodes`. For a long name it is named after the name's
/// position in a register, a file that contains all whole names with one hash. Two names with one hash thus have two
/// directories.
///
/// No crash leaves a directory with content whose name is unknown:
///
/// 1. A name is entered in the register, durably, before its directory is created.
/// 2. No single name is removed from a register. The register is removed as a whole after all directories of its names
///    have been emptied.
struct NodeFolder {
    private let name: [UInt8]
    private let hash: UInt64
    /// The directory's name if no register is needed.
    private let literal: String?

    init(of name: String) {
        self.name = Array(name.utf8)
        literal = NodeFileName.literal(name, .node)
        hash = literal == nil ? NameBucket.hash(self.name) : 0
    }

    /// Returns the directory's name; `nil` while the child's name is not in the register.
    func existing(in nodes: any Directory) throws(StorageError) -> String? {
        if let literal { return literal }
        let register = try NodeFile.read(NodeFileName.register(hash), in: nodes)
        return register?.index(of: name).map { NodeFileName.longNode(hash, $0) }
    }

    /// Returns the directory's name, and enters it in a register if necessary. Call it in a change of the tree.
    func registered(in nodes: any Directory) throws(StorageError) -> String {
        if let literal { return literal }
        let file = NodeFileName.register(hash)
        var register = try NodeFile.read(file, in: nodes) ?? NameBucket()
        if let index = register.index(of: name) { return NodeFileName.longNode(hash, index) }
        register[name] = []
        try NodeFile.write(register, file, in: nodes)
        return NodeFileName.longNode(hash, register.entries.count - 1)
    }
}
