import ShaleBase

/// Between names, which are any text, and the names of files and directories. On disk, do not change.
///
/// Letters a … z, digits and `_` stand for themselves, every other byte of the UTF-8 is `-` and two hexadecimal digits. So nothing of a
/// name means anything to the file system, and it makes no difference whether that tells apart upper and lower case, or
/// spellings of Unicode. What would be longer than ``speltBytesMax`` has its hash for a name, and the whole name is in a file:
///
/// | begins with | stands for |
/// |---|---|
/// | `k-` | a key's file, spelt |
/// | `kh-` | the file of all long keys with one hash |
/// | `n-` | a node's directory, spelt |
/// | `nr-` | the register of the long names of nodes with one hash: a file |
/// | `nh-` | the directory of the first in that register; of those that came later behind a `-` and its number |
enum NodeFileName {
    static let speltBytesMax = 200

    private static let escaped = EscapedText(mark: "-", plain: "abcdefghijklmnopqrstuvwxyz0123456789_")

    enum Kind {
        case key, node, register
    }

    /// A key's file, or a node's directory; `nil` for names that are too long to be spelt out.
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

    /// The key that a file's name spells; `nil` when it spells none.
    static func key(_ fileName: String) -> String? {
        guard fileName.hasPrefix("k-") else { return nil }
        return escaped.bytes(fileName.dropFirst(2)).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
