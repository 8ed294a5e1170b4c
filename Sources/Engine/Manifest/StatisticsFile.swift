import ShaleBase

/// The file in which a running engine says what its statistics are: lines `name=value` of text, the first the owner's process
/// (`pid=4711`, as in every lock's file), the last the sum of all before. DESIGN.md, "Offline tool".
///
/// Whoever has the store open for writing holds the file's lock, too. Without that the content is what a process has left that is no more.
package struct StatisticsFile: Equatable, Sendable {
    package static let version: Int64 = 1
    /// Longer files are none of ours.
    package static let bytesMax = 16 << 10

    /// By name, in the order of the file. Names that a reader does not know mean nothing to it.
    package var values: [(name: String, value: Int64)] = []

    package init() {}

    package static func == (a: StatisticsFile, b: StatisticsFile) -> Bool { a.values.elementsEqual(b.values, by: ==) }

    package subscript(name: String) -> Int64? { values.first { $0.name == name }?.value }

    private var text: String { values.map { "\($0.name)=\($0.value)\n" }.joined() }

    package func encoded() -> [UInt8] {
        let text = Array(text.utf8)
        let sum = unsafe text.withUnsafeBytes { unsafe XXH3.hash(Bytes($0)) }
        return text + Array("sum=\(String(sum, radix: 16))\n".utf8)
    }

    /// nil when `bytes` are not whole, or of another version.
    package init?(_ bytes: [UInt8]) {
        let whole = String(decoding: bytes, as: UTF8.self)
        for line in whole.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            if parts[0] == "sum" { break }
            guard let value = Int64(parts[1]) else { return nil }
            values.append((String(parts[0]), value))
        }
        guard self["shaleStatistics"] == StatisticsFile.version, encoded() == bytes else { return nil }
    }
}
