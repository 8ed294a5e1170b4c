import Foundation
import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

/// The stores whose files are checked in under Golden, and the script that wrote them.
///
/// The plain ones use no compression, so that the format alone determines their bytes. The others were written with LZ4
/// and zstd, of which other versions may produce other bytes for the same blocks. Split blocks have format 2.
enum GoldenStore: String, CaseIterable {
    case plain = "format-1/plain"
    case compressed = "format-1/compressed"
    case splitPlain = "format-2/plain"
    case splitCompressed = "format-2/compressed"
    /// As a writer makes it now: with packed lengths and pairs. Its code is chosen by samples, not by the format alone.
    case splitPacked = "format-2/packed"
    /// With a plain value code, which LZ4 asks for.
    case splitPlainCode = "format-2/plain-code"

    static let storeID: UInt64 = 20
    static let wallMilliseconds: Int64 = 1_750_000_000_000

    private var options: Engine.Options {
        var options = TestStore.smallOptions
        options.time = ManualTime(wallMilliseconds: GoldenStore.wallMilliseconds)
        options.splitsBlocks = rawValue.hasPrefix("format-2") ? .always : .never
        if rawValue.hasPrefix("format-2"), self != .splitPlain { options.dictionaryDataBytesMin = 1 << 10 }
        if self == .splitPlainCode { options.lastCompression = .lz4 }
        if self == .plain || self == .splitPlain {
            options.upperCompression = .none
            options.lastCompression = .none
        }
        return options
    }

    func open(_ files: SimulatedFileSystem, readOnly: Bool = false) throws -> Engine {
        var options = options
        if readOnly { options.mode = .readOnly }
        return try Engine.open(
            at: "/store", options: options,
            environment: EngineEnvironment(
                fileSystem: files, random: SeededRandom(seed: GoldenStore.storeID), scheduling: .inline))
    }

    /// Writes the store: some of everything that a format can hold, in the last level, in L0 and in the log.
    func write() throws -> SimulatedFileSystem {
        let files = SimulatedFileSystem(seed: 1)
        let engine = try open(files)
        let a = try engine.createNamespace(named: Array("orders".utf8), options: [1, 2, 3])
        let b = try engine.createNamespace(named: Array("größe/..\u{0}".utf8))
        let dropped = try engine.createNamespace(named: [])
        let truncated = try engine.createNamespace(named: Array("truncated".utf8))
        for i in 0..<120 {
            var options = PutOptions(isPurgeable: i % 5 == 0)
            if i % 7 == 0 { options.expiresAtMilliseconds = GoldenStore.wallMilliseconds + Int64(i) * 1000 }
            try put(
                engine, Array("key\(i)".utf8), GoldenStore.value(i, i * 13 % 90), i % 3 == 0 ? b : a, options: options)
            try put(engine, [UInt8(i)], [], i % 2 == 0 ? dropped : truncated)
        }
        try engine.compact()
        try engine.drop([dropped])
        try engine.truncate([truncated])
        for i in 40..<70 { try put(engine, Array("key\(i)".utf8), GoldenStore.value(i, 40), i % 3 == 0 ? b : a) }
        try unsafe engine.delete(Array("key1".utf8).span.bytes, in: a)
        try engine.purge([a])
        try put(engine, [], Array("the empty key".utf8), b)
        try engine.flush()
        var batch = WriteBatch()
        try unsafe batch.put(GoldenStore.value(7, 40_000).span.bytes, forKey: Array("long".utf8).span.bytes, in: a)
        try unsafe batch.delete(Array("key3".utf8).span.bytes, in: b)
        try engine.write(batch, durability: .synced)
        // The value does not end with a zero, because zeros after the log's content are not kept.
        try put(engine, [0xff, 0xff], [9], truncated, options: PutOptions(isPurgeable: true))
        return files.crashClone(.processKill)
    }

    private func put(
        _ engine: Engine, _ key: [UInt8], _ value: [UInt8], _ namespace: NamespaceID,
        options: PutOptions = PutOptions()
    ) throws {
        try unsafe engine.put(value.span.bytes, forKey: key.span.bytes, in: namespace, options: options)
    }

    private static func value(_ seed: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 % 11 == 0 ? ($0 * 31) ^ (seed * 17) : seed) }
    }

    /// Returns everything that the store shows, one line per entry.
    static func listing(_ engine: Engine) throws -> [String] {
        var lines: [String] = []
        for namespace in engine.namespaces {
            lines.append("namespace \(namespace.id.rawValue) \(hex(namespace.name)) options=\(hex(namespace.options))")
            for (key, value) in try engine.entries(in: namespace.id) {
                let info = try #require(try unsafe engine.info(forKey: key.span.bytes, in: namespace.id))
                let expiry = info.expiresAtMilliseconds.map { " expires=\($0)" } ?? ""
                lines.append("\(hex(key)) \(hex(value))\(info.isPurgeable ? " purgeable" : "")\(expiry)")
            }
        }
        return lines
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return bytes.isEmpty ? "-" : String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    // MARK: Checked-in files

    /// Returns false for files without content of their own: the lock, the reserve, prepared logs.
    static func isKept(_ path: String, _ bytes: [UInt8]) -> Bool {
        !path.hasSuffix("LOCK") && !path.hasSuffix("RESERVE") && bytes.contains { $0 != 0 }
    }

    /// Returns the content without the space that logs reserve ahead.
    static func trimmed(_ path: String, _ bytes: [UInt8]) -> [UInt8] {
        if path.hasSuffix(".seg") || path.hasSuffix("CURRENT") { return bytes }
        return Array(bytes[..<((bytes.lastIndex { $0 != 0 } ?? -1) + 1)])
    }

    private var directory: URL {
        get throws {
            try #require(Bundle.module.resourceURL).appendingPathComponent("Golden/\(rawValue)")
        }
    }

    func listing() throws -> [String] {
        let text = try String(contentsOf: try directory.appendingPathComponent("entries.txt"), encoding: .utf8)
        return text.split(separator: "\n").map(String.init)
    }

    func files() throws -> SimulatedFileSystem {
        let files = SimulatedFileSystem(seed: 1)
        let root = try directory.appendingPathComponent("store").path
        for name in try FileManager.default.subpathsOfDirectory(atPath: root) {
            // `nil` for a directory.
            guard let data = FileManager.default.contents(atPath: "\(root)/\(name)") else { continue }
            files.write("/store/\(name)", [UInt8](data))
        }
        return files
    }

    /// Writes the files to check in below `path`, for a new version of the format.
    func export(to path: String) throws {
        let files = try write()
        let base = URL(fileURLWithPath: path).appendingPathComponent(rawValue)
        for name in files.paths() {
            let bytes = try #require(files.read(name))
            guard GoldenStore.isKept(name, bytes) else { continue }
            let target = base.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(GoldenStore.trimmed(name, bytes)).write(to: target)
        }
        let listing = try GoldenStore.listing(try open(files, readOnly: true)).joined(separator: "\n") + "\n"
        try Data(listing.utf8).write(to: base.appendingPathComponent("entries.txt"))
    }
}
