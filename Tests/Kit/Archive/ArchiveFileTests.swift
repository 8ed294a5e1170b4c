import Foundation
import ShaleFoundation
import TestSupport
import Testing

/// One model, or an array of models, in a file.
@Suite final class ArchiveFileTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/shale-archive-files-\(UUID().uuidString)"
    private var file: ArchiveFile { ArchiveFile(folder + "/models.archive") }

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit {
        do { try FileManager.default.removeItem(atPath: folder) } catch { Issue.record("\(error)") }
    }

    @Test func oneModelComesBack() throws {
        #expect(try file.read(Everything.self) == nil && file.readAll(Animal.self) == nil)
        let original = Everything()
        try file.write(original)
        let copy = try #require(try file.read(Everything.self, allowing: [Animal.self, Dog.self]))
        #expect(copy.text == original.text && copy.absent == nil && (copy.owner as? Dog)?.legs == 4)
        #expect(copy.pack[0] === copy.owner && copy.pack[1] === copy.owner, "shared objects are shared again")
        try file.write(Animal(name: "new"))
        #expect(try file.read(Animal.self)?.name == "new")
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["models.archive"])
    }

    @Test func anArrayComesBack() throws {
        let rex = Dog(name: "rex", legs: 3)
        try file.write([rex, Animal(name: "cat"), rex])
        let animals = try #require(try file.readAll(Animal.self, allowing: [Dog.self]))
        #expect(animals.map(\.name) == ["rex", "cat", "rex"] && animals[0] === animals[2])
        #expect(
            code { () throws(StorageError) in try file.readAll(Dog.self, allowing: [Animal.self]) } == .typeMismatch)
        #expect(code { () throws(StorageError) in try file.readAll(Animal.self) } == .typeMismatch)
        #expect(code { () throws(StorageError) in try file.read(Animal.self, allowing: [Dog.self]) } == .typeMismatch)
        try file.write([Animal]())
        #expect(try file.readAll(Animal.self)?.isEmpty == true)
    }

    @Test func everyChangedByteIsAnError() throws {
        try file.write([Animal(name: "a"), Animal(name: "b")])
        let good = try Data(contentsOf: URL(fileURLWithPath: file.path))
        for index in good.indices {
            var bad = good
            bad[index] ^= 0x04
            try bad.write(to: URL(fileURLWithPath: file.path))
            let found = code { () throws(StorageError) in try file.readAll(Animal.self) }
            #expect(found == .corruption || found == .newerFormat, "\(index)")
        }
        for count in 0..<good.count {
            try good.prefix(count).write(to: URL(fileURLWithPath: file.path))
            #expect(code { () throws(StorageError) in try file.readAll(Animal.self) } == .corruption, "\(count)")
        }
    }

    @Test func archivesOfOthersAreReadAndTheirDamageIsAnError() throws {
        let animals = NSArray(array: [Animal(name: "a")])
        let plain = try NSKeyedArchiver.archivedData(withRootObject: animals, requiringSecureCoding: true)
        try plain.write(to: URL(fileURLWithPath: file.path))
        #expect(try file.readAll(Animal.self)?.map(\.name) == ["a"])
        for count in 0..<plain.count {
            try plain.prefix(count).write(to: URL(fileURLWithPath: file.path))
            do throws(StorageError) {
                _ = try file.readAll(Animal.self)
                Issue.record("\(count) bytes were read")
            } catch {
                #expect(error.code == .corruption && error.file == file.path)
            }
        }
    }

    @Test func archivesGoBetweenNamespacesAndFiles() throws {
        let fixture = try ArchiveFixture()
        let namespace = fixture.namespace
        #expect(try !namespace.exportArchive(forKey: "k", to: file) && file.readAll(Animal.self) == nil)
        try namespace.setArchived([Animal(name: "a"), Animal(name: "b")], forKey: "k")
        #expect(try namespace.exportArchive(forKey: "k", to: file))
        #expect(try file.readAll(Animal.self)?.map(\.name) == ["a", "b"])
        #expect(try namespace.importKeyedArchive(at: file.path, forKey: "copy").importedCount == 1)
        #expect(try namespace.archivedArray(of: Animal.self, forKey: "copy")?.map(\.name) == ["a", "b"])
        try namespace.set("text", forKey: "s")
        #expect(code { () throws(StorageError) in try namespace.exportArchive(forKey: "s", to: file) } == .typeMismatch)
        #expect(try namespace.archivedArray(of: Animal.self, forKey: "none") == nil)
    }

    @Test func aFailedWriteLeavesTheFileAsItWas() throws {
        try file.write(Animal(name: "a"))
        let cycle = Chain()
        cycle.next = cycle
        #expect(code { () throws(StorageError) in try file.write(cycle) } == .codecFailure)
        #expect(try file.read(Animal.self)?.name == "a")
        let nowhere = ArchiveFile(folder + "/none/x")
        #expect(code { () throws(StorageError) in try nowhere.write(Animal(name: "a")) } == .missing)
        #expect(try nowhere.read(Animal.self) == nil)
        #expect(code { () throws(StorageError) in try ArchiveFile(folder).read(Animal.self) } == .invalidArgument)
    }
}
