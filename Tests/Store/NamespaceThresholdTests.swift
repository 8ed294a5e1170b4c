import Shale
import ShaleEngine
import TestSupport
import Testing

/// The size from which values are large is stored with a namespace.
@Suite struct NamespaceThresholdTests {
    @Test func theSizeOfANamespaceIsStoredAndFollowed() throws {
        let fixture = try StoreFixture(isInMemory: true)
        let value = [UInt8](repeating: 7, count: 5000)
        try fixture["pictures"].setOptions(NamespaceOptions(isPurgeable: true, largeValueBytes: 1000))
        try fixture["notes"].set(value, forKey: "k")
        try fixture["pictures"].set(value, forKey: "k")
        #expect(fixture.store.engine.statistics.usedValueBytes == 0, "nothing is flushed")
        try fixture.store.engine.flush()
        let used = fixture.store.engine.statistics.usedValueBytes
        #expect(used > 5000 && used < 5100, "only the picture is in a value file")
        try fixture.reopen()
        #expect(try fixture["pictures"].options.largeValueBytes == 1000)
        try fixture["pictures"].set(value, forKey: "l")
        try fixture["pictures"].setOptions(NamespaceOptions(isPurgeable: true))
        try fixture["pictures"].set(value, forKey: "m")
        try fixture.store.engine.flush()
        #expect(fixture.store.engine.statistics.usedValueBytes == 2 * used)
        for key in ["k", "l", "m"] {
            #expect(try fixture["pictures"].value(forKey: key, as: [UInt8].self) == value)
        }
    }

    @Test func aSizeOutOfBoundsIsRefused() throws {
        let fixture = try StoreFixture(isInMemory: true)
        for bytes in [-1, 63, 1 << 30] {
            #expect(
                code { () throws(StorageError) in
                    try fixture["n"].setOptions(NamespaceOptions(largeValueBytes: bytes))
                } == .invalidArgument)
        }
    }
}
