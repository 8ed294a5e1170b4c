import ShaleEngine
import ShaleSimulation

/// Small stores made by the engine.
enum StoreSample {
    static func images() throws -> [[UInt8]] {
        try [
            make(0, flushes: false, closes: true), make(3, flushes: false, closes: false),
            make(20, flushes: true, closes: true), make(40, flushes: true, closes: false),
            make(80, flushes: true, closes: true, largeValueBytes: 64),
            make(80, flushes: true, closes: false, largeValueBytes: 64),
        ]
    }

    /// Returns a store with `count` keys in two namespaces, of which the second half is newer than the flush.
    private static func make(
        _ count: Int, flushes: Bool, closes: Bool, largeValueBytes: Int = 0
    ) throws -> [UInt8] {
        let disk = SimulatedFileSystem(seed: 1)
        let engine = try StoreTarget.open(disk, mode: .createIfMissing) { $0.largeValueBytes = largeValueBytes }
        let namespaces = try ["one", "two"].map { try engine.createNamespace(named: Array($0.utf8)) }
        for index in 0..<count {
            var options = PutOptions()
            options.isPurgeable = index % 3 == 0
            try engine.put(
                [UInt8](repeating: UInt8(index), count: index), forKey: Array("key-\(index)".utf8),
                in: namespaces[index % 2], options: options)
            if flushes, index == count / 2 {
                try engine.flush()
                try engine.purge([namespaces[0]])
            }
            if index % 7 == 6 { try engine.delete(Array("key-\(index - 2)".utf8), in: namespaces[index % 2]) }
        }
        try engine.sync()
        if closes { try engine.close() }
        let image = StoreImage.encode(disk)
        if !closes { try engine.close() }
        try requireIntact(image)
        return image
    }

    /// Checks that a store's image opens and that sealing its files again changes nothing. Otherwise every input that
    /// is made from the image would be refused, or would lose its log as if a crash had torn it.
    private static func requireIntact(_ image: [UInt8]) throws {
        let copy = SimulatedFileSystem(seed: 1)
        StoreImage(decoding: image).write(to: copy)
        try require(StoreImage.encode(copy) == image, "the image of a store has other checksums than the store")
        try StoreTarget.open(copy, mode: .openExisting).close()
    }
}
