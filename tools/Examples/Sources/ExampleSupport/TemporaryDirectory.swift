import Foundation

/// Calls `body` with a new directory, and removes the directory afterwards.
public func withTemporaryDirectory(_ body: (String) throws -> Void) throws {
    let path = FileManager.default.temporaryDirectory.path + "/shale-example-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    do {
        try body(path)
    } catch {
        try FileManager.default.removeItem(atPath: path)
        throw error
    }
    try FileManager.default.removeItem(atPath: path)
}
