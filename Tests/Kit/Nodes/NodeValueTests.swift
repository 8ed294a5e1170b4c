import Foundation
import ShaleNodes
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

    @Test func whatCantBeEncodedIsAnErrorAndChangesNothing() throws {
        let fixture = try NodeFixture()
        try fixture.forEach { (storage) throws in
            try storage.set([1.5], forKey: "k")
            #expect(code { () throws(StorageError) in try storage.set([Double.nan], forKey: "k") } == .codecFailure)
            #expect(try storage.value(forKey: "k", as: [Double].self) == [1.5])
        }
    }
}
