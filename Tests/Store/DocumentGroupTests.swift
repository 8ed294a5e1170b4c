import ShaleBase
import ShalePlatform
import TestSupport
import Testing

@testable import Shale

/// The documents of several keys, read together, are those that single reads return.
@Suite struct DocumentGroupTests {
    private struct Point: Codable, Equatable, Sendable {
        var x: Int
        var text: String
    }

    private let fixture: StoreFixture
    private let codec = VersionedCodec(Point.self, as: .compact)

    init() throws { fixture = try StoreFixture() }

    private func keys(_ numbers: some Sequence<Int>) -> KeyList {
        var keys = KeyList()
        for number in numbers { keys.append(Array("k\(number)".utf8)) }
        return keys
    }

    private func fill(_ namespace: Store.Namespace, _ numbers: Range<Int>, generation: Int = 0) throws {
        for number in numbers where number % 7 != 3 {
            let point = Point(x: number + generation, text: String(repeating: "t", count: number % 50))
            // Some documents have another format.
            let codec = number % 5 == 1 ? VersionedCodec(Point.self, as: .json) : codec
            try namespace.set(point, forKey: "k\(number)", using: codec)
        }
    }

    private func expectSame(_ source: Store.Namespace.Source, _ numbers: [Int]) throws {
        var group = DocumentGroup()
        try source.read(documentsOf: keys(numbers), into: &group)
        for (index, number) in numbers.enumerated() {
            let single = try source.document(forKey: Array("k\(number)".utf8))
            let found = try group.document(index)
            #expect((single == nil) == (found == nil))
            guard let single, let found else { continue }
            #expect(try codec.decode(found) == codec.decode(single))
            #expect(found.version == single.version)
        }
    }

    @Test func theyAreThoseOfSingleReads() throws {
        let namespace = fixture["n"]
        try fill(namespace, 0..<120)
        try fixture.store.engine.flush()
        try fill(namespace, 60..<200, generation: 1000)
        try namespace.remove("k5")
        try expectSame(namespace.source, Array(0..<210))
        try expectSame(namespace.source, [199, 0, 5, 0, 3])
        try expectSame(namespace.source, [])
        try expectSame(fixture["missing"].source, [1, 2])
        let snapshot = try fixture.store.snapshot()
        try fill(namespace, 0..<200, generation: 5000)
        try expectSame(snapshot[namespace].source, Array(0..<210))
        try fixture.store.transaction { (transaction) throws(StorageError) in
            try transaction.set(Point(x: -1, text: "own"), forKey: "k0", in: namespace, as: .json)
            var group = DocumentGroup()
            try transaction[namespace].source.read(documentsOf: keys([0, 1]), into: &group)
            #expect(try group.document(0).map { (document) throws(StorageError) in try codec.decode(document).x } == -1)
        }
    }

    @Test func documentsOutliveTheGroup() throws {
        let namespace = fixture["n"]
        try fill(namespace, 0..<40)
        var group = DocumentGroup()
        try namespace.source.read(documentsOf: keys([1, 2]), into: &group)
        let first = try #require(try group.document(1))
        try namespace.source.read(documentsOf: keys(20..<40), into: &group)
        #expect(try codec.decode(first).x == 2)
    }

    @Test func eachHasItsOwnError() throws {
        let namespace = fixture["n"]
        try fill(namespace, 0..<3)
        try fixture.plant([ValueCodec.versioned.rawValue, 0, 1], forKey: "k1", in: "n")
        var group = DocumentGroup()
        try namespace.source.read(documentsOf: keys([0, 1, 2]), into: &group)
        #expect(try group.document(0) != nil)
        #expect(code { () throws(StorageError) in _ = try group.document(1) } == .corruption)
        #expect(try group.document(2) != nil)
    }

    /// A document without a byte is damaged, not missing.
    @Test func anEmptyDocumentIsThere() throws {
        let namespace = fixture["n"]
        let (versioned, compact) = (ValueCodec.versioned.rawValue, ValueCodec.compact.rawValue)
        try fixture.plant([versioned, 0, 1, 0, 0, 0, compact], forKey: "k1", in: "n")
        var group = DocumentGroup()
        try namespace.source.read(documentsOf: keys([1]), into: &group)
        let found = try #require(try group.document(0))
        #expect(code { () throws(StorageError) in _ = try codec.decode(found) } == .corruption)
    }

    @Test func aKeyThatIsTooLongIsRefused() throws {
        let namespace = fixture["n"]
        try fill(namespace, 0..<3)
        var keys = keys([0])
        keys.append([UInt8](repeating: 1, count: 20_000))
        var group = DocumentGroup()
        #expect(
            code { () throws(StorageError) in try namespace.source.read(documentsOf: keys, into: &group) }
                == .invalidArgument)
    }
}
