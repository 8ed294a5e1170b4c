import ShaleManifest
import ShaleSegment
import ShaleSimulation
import ShaleValues
import TestSupport

@testable import ShaleEngine

/// All damages of one kind to the files of a store.
struct DamageCampaign {
    let store: DamagedStore

    private static let sector = 512

    /// The files whose content matters, with their bytes.
    var files: [(path: String, bytes: [UInt8])] {
        store.healthy.paths().compactMap { path in
            guard !path.hasSuffix("LOCK"), !path.hasSuffix("RESERVE") else { return nil }
            return store.healthy.read(path).map { (path, $0) }
        }
    }

    func damages(_ kind: Damage.Kind, of path: String, _ bytes: [UInt8]) -> [Damage] {
        let used = DamageCampaign.used(bytes)
        // Includes a part of the space reserved after the content.
        let end = min(bytes.count, used + 600)
        switch kind {
        case .flip: return (0..<end).map { .flip(at: $0, xor: UInt8(1 << ($0 % 8))) }
        case .truncate: return (0..<end).map { .truncate(to: $0) }
        case .zero:
            return sectors(end, bytes.count).map { .zero($0) }
                + (store.pieces[path] ?? []).map { .zero($0) }
        case .exchange: return exchanges(path, bytes, used)
        case .replace:
            return store.olderFiles.filter { DamageCampaign.isSameKind($0.path, path) && $0.bytes != bytes }
                .map { .replace($0.bytes, origin: "\($0.path) at step \($0.step)") }
        }
    }

    /// Exchanges sectors with each other, and blocks and chunks with adjacent ones and with others of their length.
    private func exchanges(_ path: String, _ bytes: [UInt8], _ used: Int) -> [Damage] {
        let sectors = sectors(used, bytes.count).filter { $0.count == DamageCampaign.sector }
        var pairs: [Damage] = []
        for (index, a) in sectors.enumerated() {
            for b in sectors[(index + 1)...] { pairs.append(.exchange(a, b)) }
        }
        let pieces = store.pieces[path] ?? []
        for (index, a) in pieces.enumerated() {
            for b in pieces[(index + 1)...] where a.count == b.count || a.upperBound == b.lowerBound {
                pairs.append(.exchange(a, b))
            }
        }
        return pairs.filter { $0.changes(bytes) }
    }

    private func sectors(_ end: Int, _ count: Int) -> [Range<Int>] {
        stride(from: 0, to: end, by: DamageCampaign.sector).map { $0..<min($0 + DamageCampaign.sector, count) }
    }

    /// Returns the length without the zeros at the end.
    static func used(_ bytes: [UInt8]) -> Int { (bytes.lastIndex { $0 != 0 } ?? -1) + 1 }

    private static func isSameKind(_ a: String, _ b: String) -> Bool {
        func kind(_ path: String) -> Substring { path.prefix { !$0.isNumber } }
        return kind(a) == kind(b)
    }
}

/// A change to one file.
enum Damage: CustomStringConvertible {
    case flip(at: Int, xor: UInt8)
    case zero(Range<Int>)
    case truncate(to: Int)
    /// Exchanges two ranges of the same length, or two adjacent ones.
    case exchange(Range<Int>, Range<Int>)
    /// Replaces the whole content.
    case replace([UInt8], origin: String)

    enum Kind: String, CaseIterable {
        case flip, zero, truncate, exchange, replace
    }

    func apply(to path: String, _ bytes: [UInt8], on disk: SimulatedFileSystem) {
        switch self {
        case .flip(let offset, let mask): disk.corrupt(path, at: offset, xor: mask)
        case .zero(let range): disk.patch(path, at: range.lowerBound, [UInt8](repeating: 0, count: range.count))
        case .truncate(let count): disk.write(path, Array(bytes.prefix(count)))
        case .exchange(let a, let b) where a.upperBound == b.lowerBound:
            disk.patch(path, at: a.lowerBound, Array(bytes[b] + bytes[a]))
        case .exchange(let a, let b):
            disk.patch(path, at: a.lowerBound, Array(bytes[b]))
            disk.patch(path, at: b.lowerBound, Array(bytes[a]))
        case .replace(let other, _): disk.write(path, other)
        }
    }

    /// Returns true if the damage changes the content.
    func changes(_ bytes: [UInt8]) -> Bool {
        switch self {
        case .flip: true
        case .zero(let range): bytes[range].contains { $0 != 0 }
        case .truncate(let count): count < bytes.count
        case .exchange(let a, let b):
            a.upperBound == b.lowerBound ? bytes[b] + bytes[a] != bytes[a] + bytes[b] : bytes[a] != bytes[b]
        case .replace(let other, _): other != bytes
        }
    }

    var description: String {
        switch self {
        case .flip(let offset, let mask): "flip at=\(offset) xor=\(mask)"
        case .zero(let range): "zero \(range)"
        case .truncate(let count): "truncate to=\(count)"
        case .exchange(let a, let b): "exchange \(a) \(b)"
        case .replace(_, let origin): "replace by \(origin)"
        }
    }
}

/// The ranges of the parts of a store's files: data blocks in segments, chunks in logs, records in value files.
enum FilePieces {
    static func find(in engine: Engine, _ files: [(path: String, bytes: [UInt8])]) throws -> [String: [Range<Int>]] {
        var pieces: [String: [Range<Int>]] = [:]
        for (path, bytes) in files where path.contains("/wal/") || path.contains("MANIFEST") {
            pieces[path] = LogImage(bytes).chunks.map(\.range)
        }
        for (path, bytes) in files {
            if let number = StoreLayout.valuesNumber(String(path.split(separator: "/").last ?? "")) {
                pieces[path] = records(bytes, file: number)
            }
        }
        for segment in engine.core.viewCell.retained().version.levels.flatMap(\.segments) {
            guard let (path, _) = files.first(where: { $0.path.hasSuffix(StoreLayout.segment(segment.number)) }) else {
                continue
            }
            pieces[path] = try (0..<segment.blockCount()).map { index in
                let handle = try segment.indexRow(index).handle
                let start = Int(handle.offset)
                return start..<start + Int(handle.storedLength) + SegmentFormat.blockTrailerBytes
            }
        }
        return pieces
    }

    private static func records(_ bytes: [UInt8], file: UInt64) -> [Range<Int>] {
        bytes.withBytes { bytes in
            var records: [Range<Int>] = []
            var offset = ValueFileFormat.headerBytes
            while offset < bytes.count,
                let reference = ValueFileFormat.decodeRecordHeader(
                    bytes.suffix(from: offset), file: file, offset: UInt64(offset))
            {
                records.append(offset..<Int(reference.end))
                offset = Int(reference.end)
            }
            return records
        }
    }
}
