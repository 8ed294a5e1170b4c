import ShaleEngine
import ShaleSimulation

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
