import ShaleSimulation

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
