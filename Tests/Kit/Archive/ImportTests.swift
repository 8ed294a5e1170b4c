import Foundation
import ShaleBase
import ShaleFoundation
import TestSupport
import Testing

@Suite struct ImportTests {
    /// A folder for files to import, which is removed with this object.
    private final class Folder {
        let path = FileManager.default.temporaryDirectory.path + "/shale-import-\(UUID().uuidString)"

        init() throws {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }

        deinit {
            do { try FileManager.default.removeItem(atPath: path) } catch { Issue.record("\(error)") }
        }

        func write(_ bytes: Data, _ name: String) throws -> String {
            let file = path + "/" + name
            try bytes.write(to: URL(fileURLWithPath: file))
            return file
        }
    }

    private struct Counts: Equatable {
        var imported = 0
        var unchanged = 0
        var skipped = 0
        var failed = 0

        init(imported: Int = 0, unchanged: Int = 0, skipped: Int = 0, failed: Int = 0) {
            (self.imported, self.unchanged, self.skipped, self.failed) = (
                imported, unchanged, skipped, failed
            )
        }

        init(_ report: ImportReport) {
            imported = report.importedCount
            unchanged = report.unchangedCount
            skipped = report.skippedCount
            failed = report.failedCount
        }
    }

    private static var defaults: [String: Any] {
        [
            "name": "x", "count": 3, "rate": 0.5, "on": true,
            "seen": Date(timeIntervalSinceReferenceDate: 9), "whole": 2.0, "none": [Double.nan], "no": Double.nan,
            "most": UInt64.max,
            "blob": Data([1]), "list": [1, "a"], "table": ["k": ["n": 1]],
        ]
    }

    private static func bytes(_ format: PropertyListSerialization.PropertyListFormat) throws -> Data {
        try PropertyListSerialization.data(fromPropertyList: defaults, format: format, options: 0)
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
    func userDefaultsComeInOnce(_ format: PropertyListSerialization.PropertyListFormat) throws {
        let folder = try Folder()
        let fixture = try ArchiveFixture()
        let namespace = fixture.namespace
        let path = try folder.write(try Self.bytes(format), "d.plist")
        #expect(Counts(try namespace.importUserDefaults(at: path)) == Counts(imported: 12))
        #expect(try namespace.value(forKey: "name", as: String.self) == "x")
        #expect(try namespace.int(forKey: "count") == 3)
        #expect(try namespace.bool(forKey: "on") == true)
        // A real number stays a real number, even if it is whole.
        #expect(try namespace.double(forKey: "whole") == 2)
        #expect(try namespace.double(forKey: "no")?.isNaN == true)
        #expect(try namespace.value(forKey: "most", as: UInt64.self) == .max)
        #expect(
            try namespace.value(forKey: "seen", as: Date.self) == Date(timeIntervalSinceReferenceDate: 9))
        #expect(try namespace.object(forKey: "list") == .propertyList([1, "a"]))
        #expect(try namespace.object(forKey: "table") == .propertyList(["k": ["n": 1]]))
        #expect(Counts(try namespace.importUserDefaults(at: path)) == Counts(unchanged: 12))
    }

    @Test func valuesChangedSinceAreKeptUnlessToBeReplaced() throws {
        let folder = try Folder()
        let fixture = try ArchiveFixture()
        let namespace = fixture.namespace
        let path = try folder.write(try Self.bytes(.binary), "d.plist")
        _ = try namespace.importUserDefaults(at: path)
        try namespace.set("newer", forKey: "name")
        #expect(Counts(try namespace.importUserDefaults(at: path)) == Counts(unchanged: 11, skipped: 1))
        #expect(try namespace.value(forKey: "name", as: String.self) == "newer")
        let report = try namespace.importUserDefaults(at: path, replacing: true)
        #expect(Counts(report) == Counts(imported: 1, unchanged: 11))
        #expect(try namespace.value(forKey: "name", as: String.self) == "x")
    }

    @Test func aKeyedArchiveIsReadWithItsClasses() throws {
        let folder = try Folder()
        let fixture = try ArchiveFixture()
        let bytes = try NSKeyedArchiver.archivedData(
            withRootObject: Dog(name: "rex", legs: 4), requiringSecureCoding: true)
        let path = try folder.write(bytes, "dog.archive")
        #expect(
            Counts(try fixture.namespace.importKeyedArchive(at: path, forKey: "dog"))
                == Counts(imported: 1))
        #expect(
            Counts(try fixture.namespace.importKeyedArchive(at: path, forKey: "dog"))
                == Counts(unchanged: 1))
        #expect(try fixture.namespace.archived(Dog.self, forKey: "dog")?.legs == 4)
    }

    @Test func anArchiveMayBeXML() throws {
        let folder = try Folder()
        let fixture = try ArchiveFixture()
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.outputFormat = .xml
        archiver.encode(Dog(name: "rex", legs: 4), forKey: NSKeyedArchiveRootObjectKey)
        archiver.finishEncoding()
        let path = try folder.write(archiver.encodedData, "dog.archive")
        _ = try fixture.namespace.importKeyedArchive(at: path, forKey: "dog")
        #expect(try fixture.namespace.archived(Dog.self, forKey: "dog")?.legs == 4)
    }

    /// Foundation ends the process when it reads lists with such a depth.
    @Test func aListThatIsNestedTooDeepIsAnError() throws {
        let folder = try Folder()
        let fixture = try ArchiveFixture()
        for depth in [600, 100_000] {
            let arrays = String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
            let text = "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>k</key>\(arrays)</dict></plist>"
            let path = try folder.write(Data(text.utf8), "deep.plist")
            #expect(
                code { () throws(StorageError) in try fixture.namespace.importUserDefaults(at: path) } == .corruption)
        }
    }

    @Test func aFolderIsImportedFileByFile() throws {
        let folder = try Folder()
        let fixture = try ArchiveFixture()
        let namespace = fixture.namespace
        _ = try folder.write(Data(#"{"a": [1, 2.5, null]}"#.utf8), "one.json")
        _ = try folder.write(try Self.bytes(.xml), "two.plist")
        _ = try folder.write(
            try NSKeyedArchiver.archivedData(
                withRootObject: Animal(name: "a"), requiringSecureCoding: true),
            "three.keyedarchive")
        _ = try folder.write(Data("{".utf8), "bad.json")
        _ = try folder.write(Data("no list".utf8), "worse.plist")
        _ = try folder.write(Data(), "note.txt")
        _ = try folder.write(Data("[]".utf8), "two.json")
        try FileManager.default.createDirectory(
            atPath: folder.path + "/in.json", withIntermediateDirectories: false)
        let report = try namespace.importFolder(at: folder.path)
        #expect(Counts(report) == Counts(imported: 3, skipped: 2, failed: 3))
        #expect(
            report.entries.map(\.key) == [
                "bad", "in", "note.txt", "one", "three", "two", "two.plist", "worse",
            ])
        #expect(try namespace.object(forKey: "one") == .json(["a": [1, 2.5, .null]]))
        #expect(try namespace.archived(Animal.self, forKey: "three")?.name == "a")
        #expect(
            Counts(try namespace.importFolder(at: folder.path))
                == Counts(unchanged: 3, skipped: 2, failed: 3))
    }

    @Test func filesThatAreNotThereOrNotThatAreErrors() throws {
        let folder = try Folder()
        let fixture = try ArchiveFixture()
        let namespace = fixture.namespace
        let missing = folder.path + "/none"
        #expect(
            code { () throws(StorageError) in try namespace.importUserDefaults(at: missing) } == .missing)
        #expect(code { () throws(StorageError) in try namespace.importFolder(at: missing) } == .missing)
        let text = try folder.write(Data("{ a = b; }".utf8), "old.plist")
        #expect(
            code { () throws(StorageError) in try namespace.importUserDefaults(at: text) } == .corruption)
        let list = try folder.write(try Self.bytes(.binary), "d.plist")
        #expect(
            code { () throws(StorageError) in try namespace.importKeyedArchive(at: list, forKey: "k") }
                == .corruption)
        #expect(try namespace.count() == 0)
    }
}
