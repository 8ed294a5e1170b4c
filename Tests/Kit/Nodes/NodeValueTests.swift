import Foundation
import ShaleKit
import ShaleSimulation
import TestSupport
import Testing

private enum Level: Int, Codable { case low = 1, high }
private enum Colour: String, Codable { case red, green }
private struct Draft: Codable, Equatable { var title: String, lines: [String], sent: Date?, level: Level }

/// One protocol over three back ends, for all values.
@Suite struct NodeValueTests {
    @Test func everythingThatIsCodableComesBack() throws {
        let fixture = try NodeFixture()
        try fixture.forEach { (storage) throws in
            func roundTrips<T: Codable & Equatable>(_ value: T) throws -> Bool {
                try storage.set(value, forKey: "k")
                return try storage.value(forKey: "k", as: T.self) == value && storage["k"] == value
            }
            #expect(try roundTrips(7) && roundTrips(Int64.min) && roundTrips(UInt64.max) && roundTrips(UInt8(1)))
            #expect(try roundTrips(true) && roundTrips(1.5) && roundTrips(Float(0.1)) && roundTrips(Double.infinity))
            #expect(try roundTrips("text") && roundTrips("") && roundTrips("$null") && roundTrips("👩‍👩‍👧\0"))
            #expect(try roundTrips(Data([0, 255])) && roundTrips(Data()) && roundTrips([UInt8](0...255)))
            #expect(try roundTrips(Date(timeIntervalSinceReferenceDate: 0.5)) && roundTrips(UUID()))
            #expect(try roundTrips(Level.high) && roundTrips(Colour.green))
            #expect(try roundTrips([1, 2]) && roundTrips(["a": ["b": 1.5]]) && roundTrips([Int]()))
            #expect(try roundTrips(Draft(title: "t", lines: ["a"], sent: nil, level: .low)))
        }
    }

    @Test func missingIsNilAndAnotherTypeIsAnError() throws {
        let fixture = try NodeFixture()
        try fixture.forEach { (storage) throws in
            #expect(try storage.value(forKey: "k", as: Int.self) == nil && !storage.contains("k"))
            try storage.set("text", forKey: "k")
            #expect(try storage.contains("k"))
            #expect(code { () throws(StorageError) in try storage.value(forKey: "k", as: Int.self) } == .typeMismatch)
            #expect(code { () throws(StorageError) in try storage.value(forKey: "k", as: Draft.self) } != nil)
            try storage.set(nil as String?, forKey: "k")
            #expect(try storage.value(forKey: "k", as: String.self) == nil && !storage.contains("k"))
            try storage.remove("k")
        }
    }

    @Test func aValueThatCantBeEncodedIsAnErrorAndChangesNothing() throws {
        let fixture = try NodeFixture()
        try fixture.forEach { (storage) throws in
            try storage.set([1.5], forKey: "k")
            #expect(code { () throws(StorageError) in try storage.set([Double.nan], forKey: "k") } == .codecFailure)
            #expect(try storage.value(forKey: "k", as: [Double].self) == [1.5])
        }
    }
}

/// Subscripts read and set, and never hide an error.
@Suite struct NodeSubscriptTests {
    private struct Draft: Codable, Equatable { var title: String }

    @Test func aSubscriptSetsAndReadsInEveryBackEnd() throws {
        try NodeFixture().forEach { storage in
            func check(_ storage: some CodableStorage) throws {
                let slot = storage["../a.b"]
                let exists = try slot.exists
                #expect(!exists)
                try storage["../a.b"].set(Draft(title: "tea"))
                let inferred: Draft? = try storage["../a.b"]
                let isThere = try slot.exists
                #expect(inferred == Draft(title: "tea") && isThere)
                #expect(try slot.value(as: Draft.self) == inferred)
                #expect(try storage.keys() == ["../a.b"])
                try slot.set(nil as Draft?)
                #expect(try slot.value(as: Draft.self) == nil)
                try slot.set(1)
                try slot.remove()
                #expect(try storage.keys() == [])
            }
            try check(storage)
        }
    }

    @Test func itsErrorsAreThrown() throws {
        let files = SimulatedFileSystem(seed: 1)
        let storage = try FileStorage(at: "/tree", files)
        try storage["k"].set(1)
        #expect(code { () throws(StorageError) in try storage["k"].value(as: String.self) } == .typeMismatch)
        files.inject(FaultRule(on: .changes, when: .always, repeatsForever: true, .error(28)))
        #expect(code { () throws(StorageError) in try storage["k"].set(2) } == .noSpace)
        #expect(code { () throws(StorageError) in try storage["k"].remove() } == .noSpace)
        files.removeFaultRules()
        #expect(try storage["k"].value(as: Int.self) == 1)
    }
}
