import Shale
import Testing

@testable import ShaleCommand

/// The comparison of the demonstration detects every kind of difference.
@Suite struct ExpectedContentTests {
    private let path = NamespacePath(user: nil, components: ["n"])

    private func differences(after change: (Store.Namespace) throws -> Void) throws -> Int {
        let sandbox = try Sandbox()
        let store = try Store(at: sandbox.store)
        var expected = ExpectedContent()
        let records = (0..<10).map { Record(key: Array("k\($0)".utf8), value: .string("v\($0)")) }
        try expected.apply(records, to: path, purgeable: nil)
        for record in records {
            try store.write { (batch) throws(StorageError) in
                try batch.set(record.value, forKey: record.key, in: store.namespace(path))
            }
        }
        #expect(try expected.differences(from: store, in: [path]) == 0)
        try change(store.namespace(path))
        let found = try expected.differences(from: store, in: [path])
        try store.close()
        return found
    }

    @Test func aMissingEntryIsADifference() throws {
        #expect(try differences { try $0.remove("k3") } == 1)
    }

    @Test func anEntryTooManyIsADifference() throws {
        #expect(try differences { try $0.set("v", forKey: "other") } == 1)
    }

    @Test func anotherValueOrAnotherTypeIsADifference() throws {
        #expect(try differences { try $0.set("v", forKey: "k3") } == 1)
        #expect(try differences { try $0.set(3, forKey: "k3") } == 1)
    }

    @Test func aNamespaceThatIsNotThereDiffersInAllItsEntries() throws {
        #expect(try differences { try $0.drop() } == 10)
    }
}
