import ShaleBase
import ShalePlatform
import ShaleSimulation
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The file systems that share one contract.
enum FileSystemUnderTest: String, CaseIterable, CustomTestStringConvertible {
    case posix
    case simulated
    case memory

    var testDescription: String { rawValue }

    /// Runs `body` in an empty directory.
    func withDirectory(_ body: (any Directory) throws -> Void) throws {
        switch self {
        case .posix:
            let temporary = try TemporaryDirectory()
            try withExtendedLifetime(temporary) {
                try body(PosixFileSystem().openDirectory(temporary.path + "/store", create: true))
            }
        case .simulated:
            let fileSystem = SimulatedFileSystem()
            try body(fileSystem.openDirectory("store", create: true))
            #expect(fileSystem.openHandlePaths == [])
        case .memory: try body(MemoryFileSystem().openDirectory("store", create: true))
        }
    }
}

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

/// A directory under $TMPDIR that is removed with its content when this object is freed.
final class TemporaryDirectory {
    let path: String

    init() throws {
        let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array(FileName.join(base, "shale-tests-XXXXXX").utf8CString)
        let made = unsafe template.withUnsafeMutableBufferPointer { buffer in
            unsafe buffer.baseAddress.flatMap { unsafe mkdtemp($0) }.map { unsafe String(cString: $0) }
        }
        path = try #require(made)
        // Sets the mode explicitly, because one test changes the umask of the process.
        unsafe chmod(path, 0o700)
    }

    deinit {
        do {
            try TemporaryDirectory.empty(PosixFileSystem().openDirectory(path, create: false), path)
            unsafe rmdir(path)
        } catch {
            Issue.record("could not remove \(path): \(error)")
        }
    }

    private static func empty(_ directory: any Directory, _ path: String) throws {
        for name in try directory.list() {
            let inner = FileName.join(path, name)
            if unsafe unlink(inner) == 0 { continue }
            try empty(directory.openDirectory(name, create: false), inner)
            unsafe rmdir(inner)
        }
    }
}
