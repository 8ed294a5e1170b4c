import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleMaintenance

/// A stream that is cut or changed at any place leaves no store and no file behind, and is a typed error.
@Suite struct DamagedStreamTests {
    private let files = SimulatedFileSystem(seed: 1)
    private let damage: Set<StorageError.Code> = [.corruption, .newerFormat, .invalidArgument, .authenticationFailed]

    /// A backup of several small segments, or of several segments and value files.
    private func stream(_ key: UInt8?, hasValues: Bool = false) throws -> [UInt8] {
        let engine = try StoreScript.open(files, ManualTime()) {
            ($0.largeValueBytes, $0.valueSpaceBound) = (hasValues ? 64 : 0, 10)
        }
        let namespace = try engine.createNamespace(named: [1])
        let rest = [UInt8](repeating: 7, count: hasValues ? 64 : 0)
        for round in 0..<3 as Range<UInt8> {
            for number in 0..<50 as Range<UInt8> {
                try engine.put([round, number] + rest, forKey: [number], in: namespace)
            }
            try engine.flush()
        }
        let stream = try StreamedBackup.stream(of: engine, key: key)
        try engine.close()
        return stream
    }

    private func expectRefused(
        _ stream: [UInt8], _ key: UInt8?, _ codes: Set<StorageError.Code>, _ what: String
    ) {
        let code = code { () throws(StorageError) in try StreamedBackup.restore(stream, key: key, to: files) }
        #expect(code.map(codes.contains) == true, "\(what): \(code.map { "\($0)" } ?? "accepted")")
        let left = files.paths().filter { $0.hasPrefix(StreamedBackup.target) }
        #expect(left.isEmpty, "\(what) left \(left)")
    }

    @Test(arguments: [nil, 7 as UInt8], [false, true]) func aCutStreamIsRefused(key: UInt8?, hasValues: Bool) throws {
        let stream = try stream(key, hasValues: hasValues)
        let boundaries = StreamedBackup.boundaries(stream)
        #expect(boundaries.last == stream.count && boundaries.count > 8)
        for boundary in boundaries {
            for end in max(64, boundary - 1)...boundary + 1 where end < stream.count {
                expectRefused(Array(stream.prefix(end)), key, [.corruption], "a cut at \(end)")
            }
        }
        for end in [0, 1, 63] { expectRefused(Array(stream.prefix(end)), key, [.invalidArgument], "a cut at \(end)") }
        expectRefused(stream + [0], key, [.corruption], "a byte more")
    }

    @Test(arguments: [nil, 7 as UInt8], [false, true]) func everyFlippedByteIsNoticed(
        key: UInt8?, hasValues: Bool
    ) throws {
        let stream = try stream(key, hasValues: hasValues)
        let random = SeededRandom(seed: Ring.seed)
        let boundaries = StreamedBackup.boundaries(stream)
        let headers = (0..<64) + boundaries.dropLast().flatMap { $0..<$0 + 16 }
        for position in headers + (0..<300).map({ _ in random.below(stream.count) }) {
            var changed = stream
            changed[position] ^= UInt8(1 << random.below(8))
            expectRefused(changed, key, damage, "a flip at \(position), \(Ring.reproduction)")
        }
    }

    @Test(arguments: [nil, 7 as UInt8], [false, true]) func framesKeepTheirOrder(key: UInt8?, hasValues: Bool) throws {
        let stream = try stream(key, hasValues: hasValues)
        let other = try self.stream(key, hasValues: hasValues)
        let boundaries = StreamedBackup.boundaries(stream)
        let frames = zip(boundaries, boundaries.dropFirst()).map { Array(stream[$0..<$1]) }
        let header = Array(stream.prefix(64))
        for index in frames.indices.dropLast() {
            var exchanged = frames
            exchanged.swapAt(index, index + 1)
            expectRefused(header + exchanged.joined(), key, damage, "frames exchanged at \(index)")
            var missing = frames
            missing.remove(at: index)
            expectRefused(header + missing.joined(), key, damage, "no frame \(index)")
            var twice = frames
            twice.insert(frames[index], at: index)
            expectRefused(header + twice.joined(), key, damage, "frame \(index) twice")
            guard other.count == stream.count else { continue }
            var foreign = frames
            foreign[index] = Array(other[boundaries[index]..<boundaries[index + 1]])
            expectRefused(header + foreign.joined(), key, damage, "frame \(index) of another stream")
        }
    }

    @Test(arguments: [8, 12, 15]) func aNewerFormatIsNamed(position: Int) throws {
        var stream = try stream(nil)
        stream[position] ^= 4
        let sum = unsafe Array(stream.prefix(56)).withUnsafeBytes {
            Checksum.of(unsafe Bytes($0), file: 0, offset: 0)
        }
        for shift in 0..<8 { stream[56 + shift] = UInt8(truncatingIfNeeded: sum >> (8 * shift)) }
        expectRefused(stream, nil, [.newerFormat], "version or flag at \(position)")
    }

    @Test func aTextIsNoBackup() {
        expectRefused(Array(repeating: 0x20, count: 1000), nil, [.invalidArgument], "a text")
    }
}
