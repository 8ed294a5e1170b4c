import Foundation

/// Ends the program with 1 and a message, unless the condition is true.
public func expect(_ condition: Bool, _ what: String, file: StaticString = #fileID, line: UInt = #line) {
    guard !condition else { return }
    FileHandle.standardError.write(Data("\(file):\(line): this is not so: \(what)\n".utf8))
    exit(1)
}

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

/// Makes a new directory, for code that can't be a closure. The caller removes it.
public func makeTemporaryDirectory() throws -> String {
    let path = FileManager.default.temporaryDirectory.path + "/shale-example-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
}
