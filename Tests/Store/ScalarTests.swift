import Shale
import ShalePlatform
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct ScalarTests {
    private func roundTrip<T: StorableValue & Equatable>(_ values: [T], _ fixture: StoreFixture) throws {
        for (index, value) in values.enumerated() { try fixture["n"].set(value, forKey: "\(T.self) \(index)") }
        try fixture.reopen()
        for (index, value) in values.enumerated() {
            #expect(try fixture["n"].value(forKey: "\(T.self) \(index)", as: T.self) == value)
        }
    }

    @Test func everyTypeComesBackAsItWas() throws {
        let fixture = try StoreFixture()
        try roundTrip([Int.min, -1, 0, 1, .max], fixture)
        try roundTrip([Int64.min, 0, .max], fixture)
        try roundTrip([UInt64.min, UInt64(Int64.max), UInt64(Int64.max) + 1, .max], fixture)
        try roundTrip([UInt8.min, .max], fixture)
        try roundTrip([true, false], fixture)
        try roundTrip([0.1, -0.0, .infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude], fixture)
        try roundTrip([Float(0.1), -.infinity], fixture)
        try roundTrip([Date(timeIntervalSinceReferenceDate: 0.125), .distantPast, .distantFuture], fixture)
        try roundTrip([UUID(), UUID()], fixture)
        try roundTrip([URL(string: "https://example.org/a?b=%20c#d")].compactMap { $0 }, fixture)
        try roundTrip([Data(), Data([0, 255]), Data(repeating: 7, count: 100_000)], fixture)
        try roundTrip([[], [1, 2, 3] as [UInt8]], fixture)
    }

    @Test func notANumberStaysNotANumber() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(Double.nan, forKey: "d")
        try fixture["n"].set(Float.nan, forKey: "f")
        #expect(try fixture["n"].double(forKey: "d")?.isNaN == true)
        #expect(try fixture["n"].float(forKey: "f")?.isNaN == true)
    }

    @Test func theDefaultStandsForAMissingKeyOnly() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        #expect(try namespace.int(forKey: "k", default: 7) == 7)
        #expect(try namespace.string(forKey: "k", default: "x") == "x")
        #expect(try namespace.value(forKey: "k", default: [1, 2]) == [1, 2])
        try namespace.set("text", forKey: "k")
        let error = #expect(throws: StorageError.self) { try namespace.int(forKey: "k", default: 7) }
        #expect(error?.code == .typeMismatch)
        #expect(error?.message.contains("stored=string") == true)
        #expect(error?.message.contains("requested=Int") == true)
        try namespace.set(1, forKey: "k")
        #expect(try namespace.int(forKey: "k", default: 7) == 1)
    }

    @Test func integersReadAsEveryTypeThatHoldsThem() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(200 as Int64, forKey: "k")
        #expect(try namespace.int(forKey: "k") == 200)
        #expect(try namespace.value(forKey: "k", as: UInt8.self) == 200)
        #expect(try namespace.value(forKey: "k", as: UInt64.self) == 200)
        #expect(code { () throws(StorageError) in try namespace.value(forKey: "k", as: Int8.self) } == .typeMismatch)
        try namespace.set(UInt64.max, forKey: "k")
        #expect(code { () throws(StorageError) in try namespace.int(forKey: "k") } == .typeMismatch)
        try namespace.set(-1, forKey: "k")
        #expect(code { () throws(StorageError) in try namespace.value(forKey: "k", as: UInt.self) } == .typeMismatch)
        #expect(try namespace.double(forKey: "k") == -1)
    }

    @Test func onlyWideningConvertsFloats() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(Float(0.1), forKey: "f")
        try fixture["n"].set(0.5, forKey: "d")
        #expect(try fixture["n"].double(forKey: "f") == Double(Float(0.1)))
        #expect(code { () throws(StorageError) in try fixture["n"].float(forKey: "d") } == .typeMismatch)
    }

    @Test func aDamagedPayloadIsAnErrorAndNeverTheDefault() throws {
        let fixture = try StoreFixture()
        let bad: [[UInt8]] = [
            [], [4], [0, 0, 1], [4, 0, 1], [4, 0] + [UInt8](repeating: 0, count: 9), [3, 0, 2], [2, 0, 0xff],
            [9, 0, 1], [8, 0], [6, 0, 1], [7, 0, 1], [10, 0, 0xff], [4, 1, 0, 0, 0, 0, 0, 0, 0, 0], [0, 1],
            [0, 1, 0] + [UInt8](repeating: 1, count: 40),
        ]
        for value in bad {
            try fixture.plant(value, forKey: "k", in: "n")
            #expect(code { () throws(StorageError) in try fixture["n"].object(forKey: "k") } == .corruption, "\(value)")
        }
        #expect(
            code { () throws(StorageError) in try fixture["n"].url(forKey: "k", default: URL(filePath: "/")) }
                == .corruption)
    }

    /// Foundation ends the process when it describes a date that is not a number, so the store refuses such dates.
    @Test func aDateIsANumber() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        let none = Date(timeIntervalSinceReferenceDate: .nan)
        try namespace.set(1, forKey: "k")
        #expect(code { () throws(StorageError) in try namespace.set(none, forKey: "k") } == .invalidArgument)
        #expect(
            code { () throws(StorageError) in try namespace.set([none], forKey: "k", as: .propertyList) }
                == .codecFailure)
        #expect(code { () throws(StorageError) in try namespace.set([none], forKey: "k", as: .json) } == .codecFailure)
        #expect(
            code { () throws(StorageError) in try namespace.setObject([.date(none)], forKey: "k") } == .codecFailure)
        #expect(try namespace.int(forKey: "k") == 1)
        let bits = (0..<8).map { UInt8(truncatingIfNeeded: Double.nan.bitPattern >> (8 * UInt64($0))) }
        try fixture.plant([ValueCodec.date.rawValue, 0] + bits, forKey: "k", in: "n")
        #expect(code { () throws(StorageError) in try namespace.value(forKey: "k", as: Date.self) } == .corruption)
        #expect(code { () throws(StorageError) in try namespace.object(forKey: "k") } == .corruption)
    }

    @Test func aValueOfANewerVersionIsANewerFormat() throws {
        let fixture = try StoreFixture()
        for value: [UInt8] in [[99, 0, 1], [4, 4, 0, 0, 0, 0, 0, 0, 0, 0], [2, 8], [2, 2, 2, 0, 9, 0]] {
            try fixture.plant(value, forKey: "k", in: "n")
            #expect(code { () throws(StorageError) in try fixture["n"].int(forKey: "k", default: 1) } == .newerFormat)
            #expect(code { () throws(StorageError) in try fixture["n"].object(forKey: "k") } == .newerFormat)
        }
    }

    @Test func anyBytesDecodeOrThrow() throws {
        let random = SeededRandom(seed: 5)
        let fixture = try StoreFixture()
        for _ in 0..<3000 {
            var value = random.bytes(random.below(24))
            if random.chance(0.8), value.count > 1 { (value[0], value[1]) = (UInt8(random.below(18)), 0) }
            try fixture.plant(value, forKey: "k", in: "n")
            let codes = [
                code { () throws(StorageError) in try fixture["n"].object(forKey: "k") },
                code { () throws(StorageError) in try fixture["n"].string(forKey: "k") },
                code { () throws(StorageError) in try fixture["n"].value(forKey: "k", as: [String: Int].self) },
            ]
            for found in codes.compactMap({ $0 }) {
                #expect(
                    [.corruption, .newerFormat, .typeMismatch, .codecFailure].contains(found),
                    "seed \(random.seed): \(value)")
            }
        }
    }
}

@Suite struct StringTests {
    @Test func aStringIsStoredAsItsOwnBytes() throws {
        let fixture = try StoreFixture()
        let texts = [
            "", "a", "fifteen bytes 15", "é", "e\u{301}", "\u{0}", "日本語 👩‍👩‍👧", String(repeating: "long ", count: 1000),
        ]
        for (index, text) in texts.enumerated() { try fixture["n"].set(text, forKey: "\(index)") }
        try fixture.reopen()
        for (index, text) in texts.enumerated() {
            let found = try #require(try fixture["n"].string(forKey: "\(index)"))
            #expect(Array(found.utf8) == Array(text.utf8))
            #expect(try fixture["n"].info(forKey: "\(index)")?.payloadByteCount == text.utf8.count)
        }
        let id = try #require(fixture.store.engine.namespaces.first).id
        let raw = try unsafe fixture.store.engine.value(forKey: Array("1".utf8).span.bytes, in: id)
        #expect(raw == [2, 0, UInt8(ascii: "a")])
    }

    @Test func aSubstringAndADynamicTypeAreStringsToo() throws {
        let fixture = try StoreFixture()
        func store<T: Codable>(_ value: T) throws { try fixture["n"].set(value, forKey: "k") }
        try store("text")
        #expect(try fixture["n"].info(forKey: "k")?.codec == .string)
        #expect(try fixture["n"].string(forKey: "k") == "text")
    }
}
