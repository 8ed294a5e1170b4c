import ShaleBase

/// The file with a running engine's statistics: text lines `name=value`. The first is the owner's process (`pid=4711`,
/// as in every lock file), the last the checksum of all before. ShaleInspection.docc, "The statistics file".
///
/// A process that has the store open for writing holds the file's lock. If the lock is free, the content is that of a
/// process that has ended.
package struct StatisticsFile: Equatable, Sendable {
    package static let version: Int64 = 1
    /// The largest size of the file. A longer file is not Shale's.
    package static let bytesMax = 16 << 10

    /// The values by name, in the order of the file. Readers ignore names that they don't know.
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

    /// Returns nil if `bytes` are incomplete or of another version.
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
