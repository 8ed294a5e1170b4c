import ShaleBase

/// Between names, which are any text, and the names of files and directories. On disk, do not change.
///
/// Letters a … z, digits and `_` stand for themselves, every other byte of the UTF-8 is `-` and two hexadecimal digits. So nothing of a
/// name means anything to the file system, and it makes no difference whether that tells apart upper and lower case, or
/// spellings of Unicode. What would be longer than ``speltBytesMax`` is the SHA-256 of the name instead, in hexadecimal digits; without
/// the trait `Encryption` there is no such digest, and such names are refused.
///
/// | begins with | stands for |
/// |---|---|
/// | `k-` | a key's file, spelt |
/// | `kh-` | a key's file, by digest; the key is in the file |
/// | `n-` | a node's directory, spelt |
/// | `nh-` | a node's directory, by digest |
enum NodeFileName {
    static let speltBytesMax = 200

    enum Kind {
        case key, node
    }

    static func of(_ name: String, _ kind: Kind) throws(StorageError) -> String {
        let letter = kind == .key ? "k" : "n"
        if name.utf8.count <= speltBytesMax {
            let spelt = spelt(name)
            if spelt.utf8.count <= speltBytesMax { return "\(letter)-\(spelt)" }
        }
        #if Encryption
            return "\(letter)h-\(NameDigest.text(Array(name.utf8)))"
        #else
            throw StorageError(
                .invalidArgument, "a name of more than \(speltBytesMax) bytes in files needs the trait Encryption")
        #endif
    }

    static func kind(of fileName: String) -> Kind? {
        if fileName.hasPrefix("k-") || fileName.hasPrefix("kh-") { return .key }
        return fileName.hasPrefix("n-") || fileName.hasPrefix("nh-") ? .node : nil
    }

    /// The name that a file's name spells; `nil` when it spells none.
    static func name(_ fileName: String) -> String? {
        guard fileName.hasPrefix("k-") else { return nil }
        var bytes: [UInt8] = []
        var rest = Array(fileName.utf8)[2...]
        while let byte = rest.popFirst() {
            if isPlain(byte) {
                bytes.append(byte)
            } else {
                guard byte == UInt8(ascii: "-"), let high = digit(rest.popFirst()), let low = digit(rest.popFirst())
                else { return nil }
                bytes.append(high << 4 | low)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func spelt(_ name: String) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            bytes += isPlain(byte) ? [byte] : [UInt8(ascii: "-"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
    }

    private static func digit(_ byte: UInt8?) -> UInt8? {
        switch byte {
        case let byte? where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte): byte - UInt8(ascii: "0")
        case let byte? where (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
