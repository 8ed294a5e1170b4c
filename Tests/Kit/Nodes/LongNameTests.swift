import Foundation
import TestSupport
import Testing

@testable import ShaleKit

/// Names and keys of any length in a store, whose own names and keys are limited. Needs no trait.
@Suite struct LongNameTests {
    private static func name(_ count: Int, _ end: String) -> String { String(repeating: "🙂", count: count - 1) + end }

    /// A store in a folder that is removed with this object.
    private final class Fixture {
        let folder = FileManager.default.temporaryDirectory.path + "/shale-long-names-\(UUID().uuidString)"

        func open(_ body: (NamespaceStorage, Store) throws -> Void) throws {
            let store = try Store(at: folder)
            try body(NamespaceStorage(store.common["nodes"], of: store), store)
            try store.close()
        }

        deinit {
            do {
                try FileManager.default.removeItem(atPath: folder)
            } catch {
                Issue.record("could not remove \(folder): \(error)")
            }
        }
    }

    @Test func namesAndKeysOfAnyLengthComeBack() throws {
        let fixture = Fixture()
        // The names differ only at their ends.
        let names = ["🙂", "é", "e\u{301}"].map { Self.name(10_000, $0) } + ["short"]
        func forEachPath(_ root: NamespaceStorage, _ body: (NamespaceStorage, String) throws -> Void) throws {
            for outer in names {
                try body(root.child(outer), outer)
                for inner in names {
                    try body(root.child(outer).child(inner), outer + inner)
                    try body(root.child(outer).child("a").child(inner), outer + "a" + inner)
                }
            }
        }
        try fixture.open { (root, _) throws in
            try forEachPath(root) { (node, text) throws in
                try node.set(text, forKey: "k")
                try node.set(text + "!", forKey: names[0])
            }
        }
        try fixture.open { (root, _) throws in
            try forEachPath(root) { (node, text) throws in
                #expect(try node.value(forKey: "k", as: String.self) == text)
                #expect(try node.value(forKey: names[0], as: String.self) == text + "!")
                #expect(try !node.contains(names[1]) && node.keys() == ["k", names[0]])
            }
            #expect(try root.keys() == [])
        }
    }

    @Test func clearingTakesWhatItShould() throws {
        try Fixture().open { (root, _) throws in
            let (long, other) = (Self.name(10_000, "a"), Self.name(10_000, "b"))
            let a = root.child("p").child(long)
            let nodes = [
                root.child("p"), a, a.child(long), a.child("x"), root.child(other),
            ]
            func fill() throws {
                for node in nodes {
                    for key in ["k", long] { try node.set(1, forKey: key) }
                }
            }
            func left() throws -> [Int] { try nodes.map { try $0.keys().count } }
            try fill()
            #expect(try left() == [2, 2, 2, 2, 2])
            try nodes[0].truncate()
            #expect(try left() == [0, 2, 2, 2, 2], "children of a node stay where they were")
            try a.truncate()
            #expect(try left() == [0, 0, 2, 2, 2])
            try a.truncateSubtree()
            #expect(try left() == [0, 0, 0, 0, 2])
            try fill()
            try root.child("p").truncateSubtree()
            #expect(try left() == [0, 0, 0, 0, 2])
            try fill()
            #expect(try left() == [2, 2, 2, 2, 2])
            try a.remove(long)
            try a.remove("k")
            #expect(try left() == [2, 0, 2, 2, 2])
        }
    }

    @Test func readingMakesNothing() throws {
        try Fixture().open { (root, store) throws in
            let node = root.child(Self.name(10_000, "a")).child("b")
            #expect(try node.value(forKey: "k", as: Int.self) == nil && !node.contains("k") && node.keys() == [])
            try node.remove("k")
            try node.truncate()
            try node.truncateSubtree()
            #expect(store.common.namespaceNames.isEmpty)
        }
    }

    @Test func shortNamesAreWhereTheyAlwaysWere() throws {
        try Fixture().open { (root, store) throws in
            let name = String(repeating: "x", count: 3000)
            try root.child(name).child("b").set(1, forKey: String(repeating: "k", count: 16 << 10))
            let namespace = store.common["nodes"].child(name).child("b")
            #expect(try namespace.int(forKey: String(repeating: "k", count: 16 << 10), default: 0) == 1)
            // A key that other code writes there is neither a long key nor text.
            try namespace.set(1, forKey: EntryKey([255, 1]))
            #expect(try root.child(name).child("b").keys().count == 1)
        }
    }

    @Test func manyLevelsFitAndMoreAreRefused() throws {
        try Fixture().open { (root, _) throws in
            var node = root
            for _ in 0..<150 { node = node.child(Self.name(1000, "z")) }
            try node.set(7, forKey: "k")
            #expect(try node.value(forKey: "k", as: Int.self) == 7)
            for _ in 0..<10 { node = node.child(Self.name(1000, "z")) }
            #expect(code { () throws(StorageError) in try node.set(1, forKey: "k") } == .invalidArgument)
            try root.truncateSubtree()
        }
    }

    @Test func namesWithOneHashAreTwoPlaces() throws {
        try Fixture().open { (_, store) throws in
            let node = store.common["nodes"]
            let names: [[UInt8]] = [[1], [2], [3]]
            for name in names {
                #expect(try NameRegister(name, 7, of: node).existing() == nil)
                try store.transaction { (transaction) throws(StorageError) in
                    let place = try NameRegister(name, 7, of: node).registered(transaction)
                    try transaction.set(Int(name[0]), forKey: "k", in: place)
                }
            }
            for name in names {
                let place = try #require(try NameRegister(name, 7, of: node).existing())
                #expect(try place.int(forKey: "k", default: 0) == Int(name[0]))
                #expect(place.name == (name == [1] ? "0000000000000007" : "0000000000000007-\(name[0] - 1)"))
            }
        }
    }

    @Test func bucketsStayAsTheyAre() throws {
        var bucket = try NameBucket(nil)
        bucket[[1]] = [9]
        bucket[[2, 3]] = []
        #expect(bucket.bytes == [1, 0, 0, 0, 1, 1, 0, 0, 0, 9] + [2, 0, 0, 0, 2, 3, 0, 0, 0, 0])
        let again = try NameBucket(bucket.bytes)
        #expect(again[[1]] == [9] && again[[2, 3]] == [] && again[[4]] == nil && again.index(of: [2, 3]) == 1)
        for count in 1..<bucket.bytes.count where count != 10 {
            let cut = Array(bucket.bytes[..<count])
            #expect(code { () throws(StorageError) in try NameBucket(cut).entries } == .corruption, "\(count)")
        }
        bucket[[1]] = nil
        #expect(bucket.bytes == [2, 0, 0, 0, 2, 3, 0, 0, 0, 0])
        #expect(LongKey("a").entry.bytes.count == 12 && NameBucket.hash([]) == 0x2d06_8005_38d3_94c2)
    }

    @Test func encryptedValuesAreEncryptedUnderLongKeysToo() throws {
        try Fixture().open { (_, store) throws in
            let storage = NamespaceStorage(store.common["nodes"], of: store, options: .encrypted)
            for node in [storage, storage.child(Self.name(10_000, "a"))] {
                for key in ["k", Self.name(10_000, "k")] {
                    // The store was opened without a cipher.
                    #expect(code { () throws(StorageError) in try node.set(1, forKey: key) } == .cipherMismatch)
                }
            }
        }
    }
}
