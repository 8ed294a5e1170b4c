import ShalePlatform
import ShaleSimulation

/// Random damage to one file of a store.
struct Damage: CustomStringConvertible {
    private(set) var description = ""

    /// Damages one of `files` and records the damage.
    init(_ files: SimulatedFileSystem, _ random: SeededRandom) {
        let all = files.paths().filter { $0.hasPrefix(StoreScript.path + "/") && !$0.hasSuffix("LOCK") }
        let kinds = ["CURRENT", "MANIFEST", ".seg", ".wal"]
        let kind = kinds[random.below(10) < 5 ? 2 : random.below(4)]
        let candidates = all.filter { $0.contains(kind) }
        guard !candidates.isEmpty else { return }
        let path = candidates[random.below(candidates.count)]
        guard let bytes = files.read(path) else { return }
        // Logs and manifests are mostly reserved space.
        let content = bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
        switch random.below(8) {
        case 0: remove(files, path)
        case 1: write(files, path, Array(bytes.prefix(random.below(content + 1))), "cut")
        case 2: write(files, path, bytes + random.bytes(1 + random.below(200)), "extended")
        case 3: exchange(files, path, candidates[random.below(candidates.count)])
        case 4: overwrite(files, path, [UInt8](repeating: 0, count: 1 + random.below(512)), content, random)
        case 5: overwrite(files, path, random.bytes(1 + random.below(512)), content, random)
        default: flip(files, path, content, random)
        }
    }

    private mutating func remove(_ files: SimulatedFileSystem, _ path: String) {
        files.remove(path)
        description = "removed \(path)"
    }

    private mutating func write(_ files: SimulatedFileSystem, _ path: String, _ bytes: [UInt8], _ what: String) {
        files.write(path, bytes)
        description = "\(what) \(path) to \(bytes.count)"
    }

    private mutating func exchange(_ files: SimulatedFileSystem, _ path: String, _ other: String) {
        guard let first = files.read(path), let second = files.read(other) else { return }
        files.write(path, second)
        files.write(other, first)
        description = "exchanged \(path) and \(other)"
    }

    private mutating func overwrite(
        _ files: SimulatedFileSystem, _ path: String, _ bytes: [UInt8], _ content: Int, _ random: SeededRandom
    ) {
        let offset = random.below(content)
        let fitting = Array(bytes.prefix(content - offset))
        files.patch(path, at: offset, fitting)
        description = "overwrote \(path) at \(offset), \(fitting.count) bytes"
    }

    private mutating func flip(_ files: SimulatedFileSystem, _ path: String, _ content: Int, _ random: SeededRandom) {
        let offset = random.below(content)
        files.corrupt(path, at: offset, xor: UInt8(1 << random.below(8)))
        description = "flipped a bit of \(path) at \(offset)"
    }
}
