import ShaleBase

/// A parser under a fuzzer: what turns bytes of anybody's making into calls, and says what must hold after them.
///
/// Inputs are made valid before the parser sees them: checksums are computed again over whatever was mutated, because
/// otherwise nothing would get past them (DESIGN.md, "Fuzzing"). Used by the driver in tools/Fuzzers, and by FuzzTests, which replays
/// the kept inputs as ordinary tests.
public struct FuzzTarget: Sendable {
    /// What the driver and the corpus folders call it.
    public let name: String
    /// One line for a list.
    public let about: String
    private let body: @Sendable ([UInt8]) throws -> Void
    private let makeSeeds: @Sendable () throws -> [[UInt8]]

    init(
        _ name: String, _ about: String, seeds: @escaping @Sendable () throws -> [[UInt8]],
        _ body: @escaping @Sendable ([UInt8]) throws -> Void
    ) {
        self.name = name
        self.about = about
        makeSeeds = seeds
        self.body = body
    }

    /// Feeds one input. Typed errors of the parser are a good end; ``FuzzFinding`` is thrown for everything else that can
    /// be noticed without a crash.
    public func run(_ input: [UInt8]) throws { try body(input) }

    /// Inputs that real writers made, for a fuzzer to begin with.
    public func seeds() throws -> [[UInt8]] { try makeSeeds() }

    public static let all: [FuzzTarget] = [
        log, batch, manifestEdit, current, footer, directory, properties, index, filter, dataBlock, lz4Block, zstdBlock,
        dictionary, segment, envelope, customCodec, propertyList, archive, nodeFile, sealed, catalogue, store, dump,
        backup,
    ]
}
