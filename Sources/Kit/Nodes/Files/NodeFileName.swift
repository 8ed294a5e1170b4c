import ShaleBase

/// Maps names, which are any text, to names of files and directories. On disk, do not change.
///
/// Letters a … z, digits and `_` stand for themselves; every other byte of the UTF-8 is `-` and two hexadecimal digits.
/// No name therefore has a meaning for the file system. File systems that ignore case, or normalize Unicode, still keep
/// all names apart. A name that would exceed ``speltBytesMax`` is replaced by its hash, and a file contains the whole
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
    static let speltBytesMax = 200

    private static let escaped = EscapedText(mark: "-", plain: "abcdefghijklmnopqrstuvwxyz0123456789_")

    enum Kind {
        case key, node, register
    }

    /// Returns the name of a key's file or of a node's directory; `nil` if the name is too long to be spelled out.
    static func spelt(_ name: String, _ kind: Kind) -> String? {
        guard name.utf8.count <= speltBytesMax else { return nil }
        let spelt = escaped.text(name.utf8)
        guard spelt.utf8.count <= speltBytesMax else { return nil }
        return (kind == .key ? "k-" : "n-") + spelt
    }

    static func longKeys(_ hash: UInt64) -> String { "kh-" + NameBucket.digits(hash) }
    static func register(_ hash: UInt64) -> String { "nr-" + NameBucket.digits(hash) }
    static func longNode(_ hash: UInt64, _ index: Int) -> String { "nh-" + NameBucket.place(hash, index) }

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
