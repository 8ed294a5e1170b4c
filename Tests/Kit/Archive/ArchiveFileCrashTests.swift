import Foundation
import ShaleFoundation
import ShaleSimulation
import TestSupport
import Testing

/// A crash or a failure at any call of a write to an archive file.
@Suite struct ArchiveFileCrashTests {
    private static func file(_ files: SimulatedFileSystem) -> ArchiveFile { ArchiveFile("/models/a.archive", files) }

    private static func disk() throws -> SimulatedFileSystem {
        let files = SimulatedFileSystem(seed: 11)
        _ = try files.openDirectory("/models", create: true)
        return files
    }

    /// Writes 5 archives and reports each returned write. Their lengths differ, so that a torn write can't look like a
    /// whole one.
    private static func write(_ files: SimulatedFileSystem, _ written: (Int) -> Void) throws {
        for number in 1...5 {
            try file(files).write(Animal(name: String(repeating: "\(number)", count: number * 700)))
            written(number)
        }
    }

    private static func number(_ files: SimulatedFileSystem) throws -> Int {
        guard let name = try file(files).read(Animal.self)?.name else { return 0 }
        let number = name.first?.wholeNumberValue ?? -1
        return name == String(repeating: "\(number)", count: number * 700) ? number : -1
    }

    @Test func aFileHoldsTheOldArchiveOrTheNewOne() throws {
        let files = try Self.disk()
        var done = 0
        let crashes = try files.crashes(mark: { done }) { try Self.write(files) { done = $0 } }
        #expect(crashes.count > 100)
        let failures = crashes.failures { crash in
            let number = try Self.number(crash.files)
            #expect(number == crash.mark || number == crash.mark + 1, "\(crash.place)")
            // The files that the crash left do not obstruct the next write.
            try Self.file(crash.files).write([Animal(name: "next")])
            #expect(try Self.file(crash.files).readAll(Animal.self)?.map(\.name) == ["next"])
        }
        #expect(failures == [])
    }

    /// Fails one call. The caller gets the error, and the file has its old content, or the new content if the name was
    /// already replaced.
    @Test(arguments: [ENOSPC, EIO, EACCES]) func aFailedWriteLeavesTheOldArchiveOrTheNewOne(_ errno: Int32) throws {
        let clean = try Self.disk()
        let before = clean.operationCount
        try Self.write(clean) { _ in }
        for index in before..<clean.operationCount {
            let files = try Self.disk()
            files.inject(FaultRule(on: .changes, when: .index(index), .error(errno)))
            var done = 0
            var thrown: StorageError.Code?
            do {
                try Self.write(files) { done = $0 }
            } catch let error as StorageError {
                thrown = error.code
            }
            files.removeFaultRules()
            let number = try Self.number(files)
            if files.faultsFired.isEmpty {
                #expect(done == 5 && thrown == nil)
            } else {
                let expected: StorageError.Code = errno == ENOSPC ? .noSpace : errno == EIO ? .ioFailure : .locked
                #expect(thrown == expected, "call \(index)")
                #expect(number == done || number == done + 1, "call \(index)")
            }
        }
    }

    @Test func aFileThatMayNotBeReadIsNeverMissing() throws {
        let files = try Self.disk()
        try Self.file(files).write(Animal(name: "a"))
        files.inject(FaultRule(on: .all, when: .always, repeatsForever: true, .error(EACCES)))
        #expect(code { () throws(StorageError) in try Self.file(files).read(Animal.self) } == .locked)
        #expect(code { () throws(StorageError) in try Self.file(files).readAll(Animal.self) } == .locked)
    }
}

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
