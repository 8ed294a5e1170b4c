import Foundation
import ShaleKit
import TestSupport
import Testing

/// Any text is a valid key and node name, and no name leads out of the directory.
///
/// The original dropped keys with a dot, and `../x` left the directory.
@Suite struct NodeHostileNameTests {
    @Test func everyKeyComesBack() throws {
        let fixture = try NodeFixture()
        let names = hostileNames
        try fixture.forEach { (storage) throws in
            for (number, name) in names.enumerated() { try storage.set(number, forKey: name) }
            for (number, name) in names.enumerated() {
                #expect(try storage.value(forKey: name, as: Int.self) == number, "\(name.prefix(20))")
            }
            let sorted = names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
            #expect(try storage.keys().map { Array($0.utf8) } == sorted)
            for name in names { try storage.remove(name) }
            #expect(try storage.keys() == [])
        }
        try nothingElseIsThere(fixture)
    }

    @Test func everyNodeIsAPlaceOfItsOwn() throws {
        let fixture = try NodeFixture()
        try fixture.forEach { (root) throws in
            let names = hostileNames
            for (number, name) in names.enumerated() {
                try root.child(name).set(number, forKey: "..")
                try root.child(name).child("..").set(-number, forKey: "..")
            }
            for (number, name) in names.enumerated() {
                #expect(try root.child(name).value(forKey: "..", as: Int.self) == number)
                #expect(try root.child(name).child("..").value(forKey: "..", as: Int.self) == -number)
            }
            #expect(try root.keys() == [])
            try root.child("..").truncateSubtree()
            #expect(try root.child("..").value(forKey: "..", as: Int.self) == nil)
            #expect(try root.child(".").value(forKey: "..", as: Int.self) == 1)
            try root.truncateSubtree()
            for name in names { #expect(try root.child(name).keys() == []) }
        }
        try nothingElseIsThere(fixture)
    }

    @Test func moreThanAMebibyteIsRefused() throws {
        let fixture = try NodeFixture()
        let long = String(repeating: "y", count: (1 << 20) + 1)
        try fixture.forEach { (root) throws in
            let child = root.child(long)
            #expect(code { () throws(StorageError) in try child.set(1, forKey: "k") } == .invalidArgument)
            #expect(
                code { () throws(StorageError) in try child.value(forKey: "k", as: Int.self) } == .invalidArgument)
            #expect(code { () throws(StorageError) in try child.keys() } == .invalidArgument)
            #expect(code { () throws(StorageError) in try child.truncateSubtree() } == .invalidArgument)
            #expect(code { () throws(StorageError) in try root.set(1, forKey: long) } == .invalidArgument)
            let longest = String(long.dropLast())
            try root.child(longest).set(1, forKey: longest)
            #expect(try root.child(longest).keys() == [longest])
        }
    }

    private func nothingElseIsThere(_ fixture: NodeFixture) throws {
        let around = try FileManager.default.contentsOfDirectory(atPath: fixture.folder + "-files")
        #expect(around == ["tree"])
        let top = try FileManager.default.contentsOfDirectory(atPath: fixture.filesFolder)
        #expect(top.allSatisfy { ["keys", "nodes"].contains($0) }, "\(top)")
    }
}
