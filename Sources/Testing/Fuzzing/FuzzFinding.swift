import ShaleBase

/// Something that must not happen, whatever the input was.
public struct FuzzFinding: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}

/// Asserts in every build, and by an error, so that replaying a corpus reports instead of crashing.
func require(_ condition: Bool, _ what: @autoclosure () -> String) throws(FuzzFinding) {
    if !condition { throw FuzzFinding(what()) }
}

/// What damage may end in: an error of one of these codes that names the place.
func requireTyped(
    _ error: StorageError, _ allowed: Set<StorageError.Code> = [.corruption, .newerFormat], namesPlace: Bool = true
) throws(FuzzFinding) {
    try require(allowed.contains(error.code), "an error of another kind: \(error)")
    try require(!namesPlace || error.file != nil && error.offset != nil, "an error without its place: \(error)")
}
