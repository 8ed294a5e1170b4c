import Foundation

/// Runs `body` with the path of a new folder, and removes the folder.
package func withHostileFolder<Result>(_ body: (_ folder: String) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.path + "/shale-hostile-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try body(folder)
}

/// Replaces all but the first `length` bytes of a file by a hole that ends at 4 TiB.
package func makeHole(in path: String, after length: Int) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.truncate(atOffset: UInt64(length))
    try file.truncate(atOffset: 4 << 40)
    try file.close()
}
