import Foundation
import ShaleArchive
import TestSupport
import Testing

/// An archive file without read permission is `.locked`, never missing, on a real file system.
@Suite(.enabled(if: Unprivileged.isPossible, "root on this system may read everything"))
struct ArchivePermissionTests {
    /// Makes a directory with an archive and removes the permissions of `place`.
    private func withLocked(
        _ place: @escaping @Sendable (_ folder: String) -> String,
        _ body: @escaping @Sendable (ArchiveFile) throws -> Void
    ) throws {
        try Unprivileged.runInFolder { (folder) throws in
            let file = ArchiveFile(folder + "/a.archive")
            try file.write(Animal(name: "a"))
            try Unprivileged.withoutPermissions(for: place(folder)) { try body(file) }
            #expect(try file.read(Animal.self)?.name == "a")
        }
    }

    private static func importCode(_ path: String) throws -> StorageError.Code? {
        let fixture = try ArchiveFixture()
        return code { () throws(StorageError) in
            try fixture.namespace.importKeyedArchive(at: path, forKey: "k")
        }
    }

    @Test func aFileWithoutPermissionIsLocked() throws {
        try withLocked({ $0 + "/a.archive" }) { (file) throws in
            #expect(code { () throws(StorageError) in try file.read(Animal.self) } == .locked)
            #expect(code { () throws(StorageError) in try file.readAll(Animal.self) } == .locked)
            #expect(try Self.importCode(file.path) == .locked)
        }
    }

    @Test func aFileInADirectoryWithoutPermissionIsLocked() throws {
        try withLocked({ $0 }) { (file) throws in
            #expect(code { () throws(StorageError) in try file.read(Animal.self) } == .locked)
            #expect(code { () throws(StorageError) in try file.write(Animal(name: "b")) } == .locked)
            #expect(try Self.importCode(file.path) == .locked)
            #expect(try Self.importCode(file.path + "-none") == .locked, "whether it is there is not known")
        }
    }
}
