import ShaleBase

/// A parser under a fuzzer: turns arbitrary bytes into calls and checks what must hold after them.
///
/// Inputs are made valid before the parser sees them: checksums are recomputed after the mutation, because otherwise no
/// input would pass them (ShaleEngine.docc, "Fuzzing"). The driver in tools/Fuzzers and FuzzTests use it; FuzzTests
/// replays the kept inputs as ordinary tests.
public struct FuzzTarget: Sendable {
    /// The name in the driver and in the corpus folders.
    public let name: String
    /// A one-line description for lists.
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

    /// Runs one input.
    ///
    /// A typed error of the parser is a valid result; every other misbehaviour that does not crash throws a
    /// ``FuzzFinding``.
    public func run(_ input: [UInt8]) throws { try body(input) }

    /// Returns inputs made by real writers, with which a fuzzer starts.
    public func seeds() throws -> [[UInt8]] { try makeSeeds() }

    public static let all: [FuzzTarget] = [
        log, batch, manifestEdit, current, footer, directory, properties, index, filter, dataBlock, lz4Block, zstdBlock,
        dictionary, segment, envelope, customCodec, propertyList, archive, nodeFile, sealed, catalogue, store, dump,
        backup,
    ]
}

/// A violation that no input may cause.
public struct FuzzFinding: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}

/// Throws if `condition` is false, in every build, so that the replay of a corpus reports the finding instead of
/// crashing.
func require(_ condition: Bool, _ what: @autoclosure () -> String) throws(FuzzFinding) {
    if !condition { throw FuzzFinding(what()) }
}

/// Throws unless `error` is an allowed result of damage: it has one of these codes and names file and offset.
func requireTyped(
    _ error: StorageError, _ allowed: Set<StorageError.Code> = [.corruption, .newerFormat], namesPlace: Bool = true
) throws(FuzzFinding) {
    try require(allowed.contains(error.code), "an error of another kind: \(error)")
    try require(!namesPlace || error.file != nil && error.offset != nil, "an error without its place: \(error)")
}
