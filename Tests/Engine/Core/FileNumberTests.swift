import ShaleBase
import ShaleEngine
import ShaleSimulation
import Testing

/// File names may contain any number.
@Suite struct FileNumberTests {
    @Test(arguments: [
        "segments/18446744073709551615.seg", "wal/18446744073709551615.wal", "MANIFEST-9223372036854775808",
    ])
    func aFileWithANumberThatIsNeverGivenIsLeftAlone(_ name: String) throws {
        let store = try TestStore()
        let namespace = try store.namespace("n")
        try store.put("key", "value", in: namespace)
        try store.engine.close()
        store.files.write("/store/" + name, [1, 2, 3])
        let engine = try TestStore.open(store.files, store.options)
        #expect(try engine.entries(in: namespace).count == 1)
        #expect(store.files.read("/store/" + name) == [1, 2, 3])
        try engine.close()
    }
}
