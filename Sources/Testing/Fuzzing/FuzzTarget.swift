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

    /// All targets. Those of ShaleHTTP are missing without the trait `HTTP`.
    public static let all: [FuzzTarget] = ofLibrary + ofHTTP

    private static let ofLibrary: [FuzzTarget] = [
        log, batch, valueFile, manifestEdit, current, footer, directory, properties, index, filter, dataBlock, lz4Block,
        zstdBlock, splitBlock, valueCode, dictionary, segment, envelope, customCodec, propertyList, compact, archive,
        nodeFile, sealed, catalogue, store, dump, backup, backupStream, shippedLog, indexKey, storedSchema, condition,
        syncRequest, syncReply,
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
    _ error: StorageError, _ allowed: Set<StorageError.Code> = [.corruption, .newerFormat], namesPosition: Bool = true
) throws(FuzzFinding) {
    try require(allowed.contains(error.code), "an error of another kind: \(error)")
    try require(!namesPosition || error.file != nil && error.offset != nil, "an error without its position: \(error)")
}

/// A file of fuzzer inputs. Each input is stored as its length, 4 bytes little-endian, followed by its bytes.
public enum InputPack {
    /// The file ends inside an input.
    public struct CutShort: Error {}

    /// Packs `inputs` in their order. An input is shorter than 4 GiB.
    public static func pack(_ inputs: [[UInt8]]) -> [UInt8] {
        var result: [UInt8] = []
        for input in inputs {
            for shift in 0..<4 { result.append(UInt8(truncatingIfNeeded: input.count >> (8 * shift))) }
            result += input
        }
        return result
    }

    /// The inputs of a packed file, in their order.
    public static func unpack(_ bytes: [UInt8]) throws -> [[UInt8]] {
        var inputs: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            guard rest.count >= 4 else { throw CutShort() }
            let count = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard rest.count >= count else { throw CutShort() }
            inputs.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return inputs
    }
}
