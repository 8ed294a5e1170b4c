import Foundation
import ShaleFoundation
import TestSupport
import Testing

/// Archives that end the process in Foundation's reader on Linux cause errors in Shale.
@Suite struct WrongClassTests {
    @Test func aWrongClassAtTheTopIsATypeMismatch() throws {
        let fixture = try ArchiveFixture()
        let namespace = fixture.namespace
        try namespace.setArchived(Animal(name: "a"), forKey: "k")
        #expect(code { () throws(StorageError) in try namespace.archived(NSString.self, forKey: "k") } == .typeMismatch)
        #expect(code { () throws(StorageError) in try namespace.archived(Dog.self, forKey: "k") } == .typeMismatch)
        #expect(
            code { () throws(StorageError) in
                try namespace.archived(Dog.self, forKey: "k", allowing: [Animal.self])
            } == .typeMismatch)
    }

    @Test func aClassThatIsNotListedIsATypeMismatch() throws {
        let fixture = try ArchiveFixture()
        let namespace = fixture.namespace
        try namespace.setArchived(NSArray(array: [Animal(name: "a")]), forKey: "k")
        #expect(code { () throws(StorageError) in try namespace.archived(NSArray.self, forKey: "k") } == .typeMismatch)
        let animals = try namespace.archived(NSArray.self, forKey: "k", allowing: [Animal.self]) as? [Animal]
        #expect(animals?.first?.name == "a")
    }

    @Test func aClassThatAFieldDoesNotExpectIsATypeMismatch() throws {
        let fixture = try ArchiveFixture()
        let namespace = fixture.namespace
        try namespace.setArchived(Confused(pet: Animal(name: "a")), forKey: "k")
        #expect(
            code { () throws(StorageError) in
                try namespace.archived(Confused.self, forKey: "k", allowing: [Animal.self, Dog.self])
            } == .typeMismatch)
    }

    @Test func aRefusedObjectIsACodecFailure() throws {
        let fixture = try ArchiveFixture()
        let namespace = fixture.namespace
        try namespace.setArchived(Chain(), forKey: "k")
        let classes = ArchivedClasses([], names: ["ArchiveTests.Chain": Animal.self])
        #expect(
            code { () throws(StorageError) in
                try namespace.archived(Animal.self, forKey: "k", allowing: classes)
            } == .codecFailure)
    }

    @Test func otherValuesAreATypeMismatchInBothDirections() throws {
        let fixture = try ArchiveFixture()
        let namespace = fixture.namespace
        try namespace.set("text", forKey: "s")
        try namespace.setArchived(NSString("text"), forKey: "a")
        #expect(code { () throws(StorageError) in try namespace.archived(NSString.self, forKey: "s") } == .typeMismatch)
        #expect(
            code { () throws(StorageError) in try namespace.value(forKey: "a", as: String.self) } == .typeMismatch)
        #expect(code { () throws(StorageError) in try namespace.value(forKey: "a", as: [Int].self) } == .typeMismatch)
    }

    @Test func objectsThatCouldNotBeReadBackAreNotWritten() throws {
        final class Nested: NSObject, NSSecureCoding {
            static var supportsSecureCoding: Bool { true }
            override init() {}
            init?(coder: NSCoder) {}
            func encode(with coder: NSCoder) {}
        }
        let fixture = try ArchiveFixture()
        let namespace = fixture.namespace
        let loop = Chain()
        loop.next = loop
        #expect(code { () throws(StorageError) in try namespace.setArchived(loop, forKey: "k") } == .codecFailure)
        loop.next = nil
        #expect(
            code { () throws(StorageError) in try namespace.setArchived(Chain.ofLength(64), forKey: "k") } == nil)
        #expect(try namespace.archived(Chain.self, forKey: "k")?.next?.next != nil)
        #expect(
            code { () throws(StorageError) in try namespace.setArchived(Chain.ofLength(65), forKey: "l") }
                == .codecFailure)
        #expect(
            code { () throws(StorageError) in try namespace.setArchived(Nested(), forKey: "l") } == .invalidArgument)
        #expect(try namespace.contains("l") == false)
    }
}
