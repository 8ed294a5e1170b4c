import ShaleBase
import ShaleEngine
import ShaleMaintenance
import ShaleSimulation

extension FuzzTarget {
    /// Input: the frames of a backup in a stream, each as type (u8), length (u16) and content. The target builds a
    /// valid stream around them, which may have value files if the first frame of a file is that of one.
    static let backupStream = FuzzTarget(
        "backup-stream", "a backup in a stream: restoring", seeds: BackupStreamTarget.seeds
    ) { input in
        let disk = SimulatedFileSystem(seed: 1, quota: 256 << 20)
        disk.recordsOperations = false
        var rest = BackupStreamTarget.stream(input)[...]
        do throws(StorageError) {
            _ = try Maintenance.restore(into: "/restored", options: BackupStreamOptions(), fileSystem: disk) {
                let piece = Array(rest.prefix(1000))
                rest = rest.dropFirst(piece.count)
                return piece
            }
        } catch {
            try requireTyped(error, namesPosition: false)
            let left = disk.paths().filter { $0.hasPrefix("/restored") }
            return try require(left.isEmpty, "a restore that failed has left \(left)")
        }
        try BackupTarget.open(disk)
    }
}

private enum BackupStreamTarget {
    private static let headerBytes = 64
    private static let frameHeaderBytes = 16

    static func stream(_ input: [UInt8]) -> [UInt8] {
        var stream = Array("SHALEBST".utf8)
        stream.append(word: 1 as UInt32)
        stream.append(word: hasValues(input) ? 2 as UInt32 : 0)
        stream += [UInt8](repeating: 0, count: headerBytes - stream.count - 8)
        stream.append(word: sum(stream, file: 0, at: 0))
        var rest = input[...]
        while let type = rest.popFirst(), let length = Array(rest.prefix(2)).word(UInt16.self, at: 0) {
            let content = rest.dropFirst(2).prefix(Int(length))
            rest = rest.dropFirst(2 + content.count)
            var frame: [UInt8] = []
            frame.append(word: UInt32(content.count))
            frame.append(word: UInt32(type))
            frame += content
            let sum = sum(frame, file: 0, at: stream.count)
            stream.append(word: sum)
            stream += frame
        }
        return stream
    }

    /// True if the frame after the head is that of a value file.
    private static func hasValues(_ input: [UInt8]) -> Bool {
        guard let length = input.word(UInt16.self, at: 1) else { return false }
        let next = 3 + Int(length)
        return next < input.count && input[next] == valuesFrame
    }

    private static let valuesFrame: UInt8 = 7

    private static func sum(_ bytes: [UInt8], file: UInt64, at offset: Int) -> UInt64 {
        bytes.withBytes { Checksum.of($0, file: file, offset: UInt64(offset)) }
    }

    static func seeds() throws -> [[UInt8]] {
        let (seed, values) = (try seed(hasValues: false), try seed(hasValues: true))
        return [seed, Array(seed.prefix(50)), Array(seed.prefix(seed.count / 2)), values]
    }

    private static func seed(hasValues: Bool) throws -> [UInt8] {
        let disk = SimulatedFileSystem(seed: 2)
        let engine = try StoreTarget.open(disk, mode: .createIfMissing) { $0.largeValueBytes = hasValues ? 64 : 0 }
        let namespace = try engine.createNamespace(named: [1, 1, 0, 0x6e])
        for number in 0..<40 as Range<UInt8> {
            let rest = [UInt8](repeating: number, count: hasValues && number % 4 == 0 ? 70 : 0)
            try engine.put([2, 0, number] + rest, forKey: [number], in: namespace, durability: .buffered)
        }
        var stream: [UInt8] = []
        try Maintenance.backUp(engine) { piece in unsafe piece.withUnsafeBytes { unsafe stream.append(contentsOf: $0) }
        }
        try engine.close()
        var seed: [UInt8] = []
        var position = headerBytes
        while let length = stream.word(UInt32.self, at: position + 8) {
            seed.append(stream[position + 12])
            seed.append(word: UInt16(clamping: length))
            position += frameHeaderBytes
            seed += stream[position..<position + Int(length)]
            position += Int(length)
        }
        return seed
    }
}
