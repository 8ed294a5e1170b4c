import Shale
import TestSupport
import Testing

/// Conversions that lose nothing work; the others are `.typeMismatch`.
@Suite struct LosslessReadingTests {
    private enum Quality: String, Codable { case low, high }
    private enum Level: Int, Codable { case one = 1, two }
    private struct Flags: OptionSet, Codable { let rawValue: UInt8 }
    private struct Wrapped: Codable, Equatable {
        let text: String
        init(_ text: String) { self.text = text }
        init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    private func mismatch<T: Decodable>(_ type: T.Type, _ key: String, _ namespace: Store.Namespace) -> Bool {
        code { () throws(StorageError) in _ = try namespace.value(forKey: key, as: T.self) } == .typeMismatch
    }

    @Test func integersReadAsFloatingPointIfExact() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        for value in [0, 1, -7, 1 << 53, -(1 << 53), Int.min] {
            try namespace.set(value, forKey: "k")
            #expect(try namespace.double(forKey: "k") == Double(value))
        }
        for value in [(1 << 53) + 1, -(1 << 53) - 1, Int.max] {
            try namespace.set(value, forKey: "k")
            #expect(code { () throws(StorageError) in _ = try namespace.double(forKey: "k") } == .typeMismatch)
            #expect(code { () throws(StorageError) in _ = try namespace.float(forKey: "k") } == .typeMismatch)
        }
        try namespace.set(1 << 24, forKey: "k")
        #expect(try namespace.float(forKey: "k") == 16_777_216)
        try namespace.set((1 << 24) + 1, forKey: "k")
        #expect(code { () throws(StorageError) in _ = try namespace.float(forKey: "k") } == .typeMismatch)
        try namespace.set(UInt64(1) << 63, forKey: "k")
        #expect(try namespace.double(forKey: "k") == 0x1p63)
        try namespace.set(UInt64.max, forKey: "k")
        #expect(code { () throws(StorageError) in _ = try namespace.double(forKey: "k") } == .typeMismatch)
        try namespace.set(0.5, forKey: "k")
        #expect(code { () throws(StorageError) in _ = try namespace.int(forKey: "k") } == .typeMismatch)
        try namespace.set(2, forKey: "brightness")
        #expect(try namespace.value(for: Key<Double>("brightness", default: 0.8)) == 2)
    }

    @Test func rawValuesReadAsEnums() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set("high", forKey: "quality")
        try namespace.set(2, forKey: "level")
        try namespace.set(5 as UInt8, forKey: "flags")
        #expect(try namespace.value(forKey: "quality", as: Quality.self) == .high)
        #expect(try namespace.value(forKey: "level", as: Level.self) == .two)
        #expect(try namespace.value(forKey: "flags", as: Flags.self) == Flags(rawValue: 5))
        #expect(try namespace.value(forKey: "quality", as: Wrapped.self) == Wrapped("high"))
        #expect(try namespace.value(for: Key<Quality>("quality", default: .low)) == .high)
        #expect(try namespace.value(for: Key<Level?>("level")) == .two)
        #expect(try namespace.entries(prefix: "level").first()?.value(as: Level.self) == .two)
        #expect(try namespace.values(forKeys: ["quality", "none"], as: Quality.self) == [.high, nil])
    }

    @Test func enumsReadAsTheirRawValues() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        for format in [CodableFormat.json, .propertyList] {
            try namespace.set(Quality.low, forKey: "quality", as: format)
            try namespace.set(Level.one, forKey: "level", as: format)
            #expect(try namespace.string(forKey: "quality") == "low")
            #expect(try namespace.int(forKey: "level") == 1)
            #expect(try namespace.value(forKey: "quality", as: Quality.self) == .low)
        }
    }

    @Test func lossyReadingsAreErrors() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set("medium", forKey: "quality")
        try namespace.set(3, forKey: "level")
        try namespace.set(300, forKey: "flags")
        #expect(mismatch(Quality.self, "quality", namespace), "no case has this raw value")
        #expect(mismatch(Level.self, "level", namespace))
        #expect(mismatch(Flags.self, "flags", namespace))
        #expect(mismatch(Quality.self, "level", namespace))
        #expect(mismatch(Level.self, "quality", namespace))
        #expect(mismatch([String].self, "quality", namespace))
        #expect(mismatch([String: Int].self, "level", namespace))
    }

    @Test func damageStaysDamage() throws {
        let fixture = try StoreFixture()
        try fixture.plant([ValueCodec.int.rawValue, 0, 1], forKey: "k", in: "n")
        #expect(code { () throws(StorageError) in _ = try fixture["n"].double(forKey: "k") } == .corruption)
        #expect(
            code { () throws(StorageError) in _ = try fixture["n"].value(forKey: "k", as: Level.self) } == .corruption)
        try fixture.plant([99, 0, 1], forKey: "k", in: "n")
        #expect(
            code { () throws(StorageError) in _ = try fixture["n"].value(forKey: "k", as: Level.self) }
                == .newerFormat)
    }
}
