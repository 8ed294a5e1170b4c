import Foundation

/// Ends the program with 1 and a message, unless the condition is true.
public func expect(_ condition: Bool, _ what: String, file: StaticString = #fileID, line: UInt = #line) {
    guard !condition else { return }
    FileHandle.standardError.write(Data("\(file):\(line): this is not so: \(what)\n".utf8))
    exit(1)
}
