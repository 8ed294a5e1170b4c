import ArgumentParser
import ShaleEngine

/// How data is written.
enum CompressionChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// The engine's default: LZ4 above, zstd 1 in the last level.
    case mixed
    case none, lz4, zstd
}

/// What the store and its entries look like. A child process gets the same ones.
struct StoreSettings: ParsableArguments {
    @Option(help: "Bytes of a value.")
    var valueBytes = 100

    @Option(help: "Bytes of a key, at least 16: a decimal number with leading zeros.")
    var keyBytes = 16

    @Option(help: "Makes the order of keys, and the values.")
    var seed: UInt64 = 20_260_701

    @Option(help: "Memory for the block cache, indexes and filters, MiB.")
    var cacheMib = 512

    @Option(help: "Memory of one memtable, MiB.")
    var memtableMib = 64

    @Option(help: "Milliseconds after which buffered writes are synced; 0 = never.")
    var syncInterval = 1000

    @Option(help: "mixed (LZ4 above, zstd 1 in the last level), none, lz4 or zstd.")
    var compression = CompressionChoice.mixed

    func validate() throws {
        guard keyBytes >= KeyBuffer.digits, keyBytes <= 1024 else { throw ValidationError("--key-bytes: 16 to 1024") }
        guard valueBytes >= 0, valueBytes <= 1 << 20 else { throw ValidationError("--value-bytes: 0 to 1048576") }
        guard cacheMib > 0, memtableMib > 0 else { throw ValidationError("--cache-mib, --memtable-mib: above 0") }
    }

    var entryBytes: Int { keyBytes + valueBytes }

    var engineOptions: EngineOptions {
        var options = EngineOptions()
        options.memtableBytes = memtableMib << 20
        // The budget is for everything: what all memtables may take comes on top of the cache.
        options.memoryBudget = max(
            (cacheMib << 20) + (1 + options.immutableMemtables) * options.memtableBytes, 4 * options.memtableBytes)
        options.syncInterval = syncInterval == 0 ? nil : .milliseconds(syncInterval)
        switch compression {
        case .mixed: break
        case .none: (options.upperCompression, options.lastCompression) = (.none, .none)
        case .lz4: (options.upperCompression, options.lastCompression) = (.lz4, .lz4)
        case .zstd: (options.upperCompression, options.lastCompression) = (.zstd(level: 1), .zstd(level: 1))
        }
        return options
    }
}
