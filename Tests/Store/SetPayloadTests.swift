import Shale
import TestSupport
import Testing

/// Encoded bytes are written back as they were read, and bytes that no read would accept are refused.
@Suite struct SetPayloadTests {
    @Test func everyPayloadCanBeWrittenBack() throws {
        let fixture = try StoreFixture(codecs: [CustomCodecTests.PointCodec()])
        let (namespace, copies) = (fixture["n"], fixture["copies"])
        try namespace.set(1, forKey: "int")
        try namespace.set("text", forKey: "string", options: .purgeable)
        try namespace.set([1, 2], forKey: "json")
        try namespace.set(["a": 1], forKey: "list", as: .propertyList)
        try namespace.set([1, 2] as [UInt8], forKey: "data")
        try namespace.set(CustomCodecTests.Point(x: 1, y: 2), forKey: "custom", using: CustomCodecTests.PointCodec())
        for entry in try namespace.entries.array() {
            let (codec, bytes) = try entry.payload()
            let again = try #require(try namespace.payload(forKey: entry.key))
            #expect(again.codec == codec && again.bytes == bytes)
            try copies.setPayload(bytes, codec: codec, forKey: entry.key, options: try entry.info().options)
            #expect(try copies.object(forKey: entry.key) == entry.object())
            #expect(try copies.info(forKey: entry.key) == entry.info())
        }
        #expect(try copies.count() == 6)
        try fixture.store.write { (batch) throws(StorageError) in
            try batch.setPayload(Array("b".utf8), codec: .string, forKey: "k", in: namespace)
        }
        #expect(try namespace.string(forKey: "k") == "b")
        try fixture.store.transaction { (transaction) throws(StorageError) in
            try transaction.setPayload(Array("t".utf8), codec: .string, forKey: "k", in: namespace)
        }
        #expect(try namespace.string(forKey: "k") == "t")
    }

    @Test(
        arguments: [
            (ValueCodec.int, [1, 2]), (.bool, [2]), (.string, [0xff]), (.uuid, [1]),
            (.date, [0, 0, 0, 0, 0, 0, 0xf8, 0x7f]),
            (.json, Array("{".utf8)), (.propertyList, Array("bplist00".utf8)), (.archive, [1]), (.double, []),
        ] as [(ValueCodec, [UInt8])])
    func aPayloadThatNoReadAcceptsIsRefused(_ codec: ValueCodec, _ bytes: [UInt8]) throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(1, forKey: "k")
        let found = code { () throws(StorageError) in try namespace.setPayload(bytes, codec: codec, forKey: "k") }
        #expect(found == .codecFailure)
        #expect(try namespace.int(forKey: "k") == 1)
    }

    @Test func aCodecThatIsNotKnownIsRefused() throws {
        let fixture = try StoreFixture()
        let codes: [(UInt8, StorageError.Code)] = [(0, .invalidArgument), (99, .newerFormat)]
        for (number, expected) in codes {
            let codec = ValueCodec(rawValue: number)
            #expect(
                code { () throws(StorageError) in try fixture["n"].setPayload([1], codec: codec, forKey: "k") }
                    == expected)
        }
        #expect(try fixture["n"].count() == 0)
    }
}
