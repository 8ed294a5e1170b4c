import ArgumentParser
import ShaleEngine

/// The compression of the data that a command writes.
struct CompressionOption: ParsableArguments {
    @Option(help: "none, lz4, zstd, or zstd with a level from -5 to 19, as in zstd:9.")
    var compression = CompressionArgument(value: .zstd(level: 1))

    var engineOptions: EngineOptions {
        var options = EngineOptions()
        options.lastCompression = compression.value
        return options
    }
}

struct CompressionArgument: ExpressibleByArgument {
    let value: EngineOptions.Compression

    init(value: EngineOptions.Compression) { self.value = value }

    init?(argument: String) {
        switch argument {
        case "none": value = .none
        case "lz4": value = .lz4
        case "zstd": value = .zstd(level: 1)
        default:
            guard argument.hasPrefix("zstd:"), let level = Int(argument.dropFirst(5)) else { return nil }
            value = .zstd(level: level)
        }
    }

    var defaultValueDescription: String { "zstd:1" }
}
