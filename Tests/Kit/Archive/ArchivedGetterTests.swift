import Foundation
import ShaleArchive
import TestSupport
import Testing

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
