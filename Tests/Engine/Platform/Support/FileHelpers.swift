import ShaleBase
import ShalePlatform
import Testing

extension Directory {
    /// Creates a file, syncs it if `synced` is true, and closes it.
    func make(_ name: String, _ content: String, synced: Bool = false) throws {
        let file = try create(name)
        try file.append(content, at: 0)
        if synced { try file.sync() }
        try file.close()
    }

    func content(_ name: String) throws -> String {
        let file = try open(name)
        defer { file.close() }
        return try file.text()
    }
}

extension WritableFile {
    func append(_ content: String, at offset: UInt64) throws {
        let owner = OwnedBytes(Array(content.utf8))
        try withExtendedLifetime(owner) { try write(owner.bytes, at: offset) }
    }
}

extension ReadableFile {
    func text() throws -> String {
        let buffer = OwnedBytes(count: Int(try size()))
        let count = try read(into: buffer.mutable, at: 0)
        return String(decoding: buffer.bytes.slice(0, count).array(), as: UTF8.self)
    }
}

/// Expects an I/O failure with this error number.
func expectFailure(_ number: Int32, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) {
    do {
        try body()
        Issue.record("no error was thrown", sourceLocation: sourceLocation)
    } catch let error as IOFailure {
        #expect(error.errorNumber == number, "\(error)", sourceLocation: sourceLocation)
    } catch {
        Issue.record("unexpected \(error)", sourceLocation: sourceLocation)
    }
}
