import ShaleBase

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
