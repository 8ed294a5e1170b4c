import Foundation
import ShaleFoundation
import TestSupport
import Testing

@Suite struct ArchivedObjectTests {
    @Test func everythingThatAClassWritesComesBack() throws {
        let fixture = try ArchiveFixture()
        let original = Everything()
        try fixture.namespace.setArchived(original, forKey: "k")
        let copy = try #require(
            try fixture.namespace.archived(Everything.self, forKey: "k", allowing: [Animal.self, Dog.self]))
        #expect(copy.integer == .min && copy.real == 0.1 && copy.single == 1.5 && copy.flag && copy.small == -7)
        #expect(copy.bytes == original.bytes && copy.text == original.text && copy.mutable == original.mutable)
        #expect(copy.data == original.data && copy.date == original.date && copy.uuid == original.uuid)
        #expect(copy.url == original.url && copy.numbers == original.numbers && copy.words == original.words)
        #expect(copy.ordered == original.ordered && copy.table == original.table && copy.absent == nil)
        #expect((copy.owner as? Dog)?.legs == 4 && copy.owner?.name == "rex")
        #expect(copy.pack.map(\.name) == ["rex", "rex", "cat"])
        #expect(copy.pack[0] === copy.owner && copy.pack[1] === copy.owner, "shared objects are shared again")
        #expect(try fixture.namespace.info(forKey: "k")?.codec == .archive)
    }

    @Test func valueClassesNeedNoList() throws {
        let fixture = try ArchiveFixture()
        let namespace = fixture.namespace
        func roundTrips<T: NSObject & NSSecureCoding>(_ object: T) throws -> Bool {
            try namespace.setArchived(object, forKey: "k")
            return try namespace.archived(T.self, forKey: "k") == object
        }
        #expect(try roundTrips(NSString("text")))
        #expect(try roundTrips(NSNumber(value: 5)))
        #expect(try roundTrips(NSData(data: Data([1]))))
        #expect(try roundTrips(Date(timeIntervalSinceReferenceDate: 1) as NSDate))
        #expect(try roundTrips(UUID() as NSUUID))
        #expect(try roundTrips(NSNull()))
        #expect(try roundTrips(NSArray(array: [1, "a", [2.5]])))
        #expect(try roundTrips(NSSet(array: [1, 2])))
        #expect(try roundTrips(NSMutableDictionary(dictionary: ["a": ["b": NSNull()]])))
        #expect(try roundTrips(try #require(URL(string: "a/b", relativeTo: URL(string: "http://x"))) as NSURL))
    }

    @Test func nilRemovesAndMissingIsNil() throws {
        let fixture = try ArchiveFixture()
        try fixture.namespace.setArchived(NSString("x"), forKey: "k")
        try fixture.namespace.setArchived(nil, forKey: "k")
        #expect(try fixture.namespace.archived(NSString.self, forKey: "k") == nil)
    }

    @Test func anyReaderSeesATree() throws {
        let fixture = try ArchiveFixture()
        try fixture.namespace.setArchived(Confused(pet: Dog(name: "rex", legs: 3)), forKey: "k")
        let dog: StructuredValue = .dictionary([
            "$class": .string("ArchiveTests.Dog"), "name": .string("rex"), "legs": .int(3),
        ])
        #expect(
            try fixture.namespace.object(forKey: "k")
                == .archive(.dictionary(["$class": .string("ArchiveTests.Confused"), "pet": dog])))
    }

    @Test func aBatchTakesArchivedObjects() throws {
        let fixture = try ArchiveFixture()
        try fixture.store.write { (batch) throws(StorageError) in
            try batch.setArchived(NSString("x"), forKey: "k", in: fixture.namespace)
        }
        #expect(try fixture.namespace.archived(NSString.self, forKey: "k") == "x")
    }

    @Test func aClassIsKnownByOtherNamesToo() throws {
        let fixture = try ArchiveFixture()
        try fixture.namespace.setArchived(Animal(name: "a"), forKey: "k")
        let classes = ArchivedClasses([], names: ["ArchiveTests.Animal": Dog.self])
        let dog = try fixture.namespace.archived(Dog.self, forKey: "k", allowing: classes)
        #expect(dog?.name == "a" && dog?.legs == 0)
    }
}

@Suite struct ArchivedInTransactionTests {
    @Test func aTransactionSetsAndRemovesArchives() throws {
        let fixture = try ArchiveFixture()
        let namespace = fixture.namespace
        try fixture.store.transaction { (transaction) throws(StorageError) in
            try transaction.setArchived(NSString("text"), forKey: "k", in: namespace)
        }
        #expect(try namespace.archived(NSString.self, forKey: "k") == "text")
        try fixture.store.transaction { (transaction) throws(StorageError) in
            try transaction.setArchived(nil, forKey: "k", in: namespace)
        }
        #expect(try namespace.archived(NSString.self, forKey: "k") == nil)
    }
}

/// The getter by type also reads archives of the requested class.
@Suite struct ArchivedGetterTests {
    @Test func anArchiveIsReadAsTheTypeThatIsAskedFor() throws {
        let fixture = try ArchiveFixture()
        let namespace = fixture.namespace
        try namespace.setArchived(Animal(name: "a"), forKey: "k")
        #expect(try namespace.value(forKey: "k", as: Animal.self)?.name == "a")
        let inferred: Animal? = try namespace.value(forKey: "k")
        #expect(inferred?.name == "a")
        #expect(try namespace.value(forKey: "none", as: Animal.self) == nil)
        try namespace.setArchived(NSString("text"), forKey: "s")
        #expect(try namespace.value(forKey: "s", as: NSString.self) == "text")
    }

    @Test func otherClassesAndOtherValuesAreATypeMismatch() throws {
        let fixture = try ArchiveFixture()
        let namespace = fixture.namespace
        try namespace.setArchived(Animal(name: "a"), forKey: "k")
        try namespace.set("text", forKey: "s")
        try namespace.setArchived(NSArray(array: [Dog(name: "d", legs: 4)]), forKey: "pack")
        #expect(code { () throws(StorageError) in try namespace.value(forKey: "k", as: Dog.self) } == .typeMismatch)
        let text = code { () throws(StorageError) in try namespace.value(forKey: "k", as: NSString.self) }
        #expect(text == .typeMismatch)
        #expect(code { () throws(StorageError) in try namespace.value(forKey: "s", as: Animal.self) } == .typeMismatch)
        let unlisted = code { () throws(StorageError) in try namespace.value(forKey: "pack", as: NSArray.self) }
        #expect(unlisted == .typeMismatch)
        let pack = try namespace.value(forKey: "pack", as: NSArray.self, allowing: [Dog.self])
        #expect((pack?.firstObject as? Dog)?.legs == 4)
    }

    @Test func aClassThatIsCodableTooIsReadInEitherForm() throws {
        let fixture = try ArchiveFixture()
        let namespace = fixture.namespace
        try namespace.setArchived(Label("archived"), forKey: "a")
        try namespace.set(Label("encoded"), forKey: "c")
        try namespace.set(7, forKey: "n")
        #expect(try namespace.value(forKey: "a", as: Label.self)?.text == "archived")
        #expect(try namespace.value(forKey: "c", as: Label.self)?.text == "encoded")
        #expect(try namespace.value(forKey: "none", as: Label.self) == nil)
        #expect(code { () throws(StorageError) in try namespace.value(forKey: "n", as: Label.self) } == .typeMismatch)
    }
}

/// A class that old code archived and new code encodes.
final class Label: NSObject, NSSecureCoding, Codable {
    static let supportsSecureCoding = true
    let text: String

    init(_ text: String) { self.text = text }

    init?(coder: NSCoder) {
        guard let text = coder.decodeObject(of: NSString.self, forKey: "text") else { return nil }
        self.text = text as String
    }

    func encode(with coder: NSCoder) { coder.encode(text as NSString, forKey: "text") }
}
