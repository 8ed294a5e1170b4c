import ShaleBase
import ShalePlatform
import ShaleSimulation
import Testing

/// A file of terabytes that is one hole takes neither memory nor space.
@Suite struct SparseFileTests {
    private static let size = 4 << 40

    @Test func aHoleTakesNeitherMemoryNorSpace() throws {
        let files = SimulatedFileSystem(quota: 1 << 20)
        files.writeSparse("s/f", Array("head".utf8), size: SparseFileTests.size)
        #expect(files.usedBytes == 4)
        let directory = try files.openDirectory("s", create: false)
        let file = try directory.open("f")
        #expect(try file.size() == UInt64(SparseFileTests.size))
        let target = OwnedBytes(count: 8)
        #expect(try file.read(into: target.mutable, at: 0) == 8)
        #expect(target.bytes.array() == Array("head".utf8) + [0, 0, 0, 0])
        #expect(try file.read(into: target.mutable, at: UInt64(SparseFileTests.size - 3)) == 3)
        let clone = files.crashClone(.random, seed: 1)
        #expect(clone.usedBytes == 4)
        #expect(try clone.openDirectory("s", create: false).sizeOfFile("f") == UInt64(SparseFileTests.size))
    }

    @Test func whatIsWrittenFarBehindTheBeginningIsReadThereAndIsGoneWhenItWasCutOff() throws {
        let files = SimulatedFileSystem(quota: 1 << 50)
        let directory = try files.openDirectory("s", create: true)
        let file = try directory.create("f")
        let reader = try directory.open("f")
        let (start, size) = (UInt64(0), UInt64(SparseFileTests.size))
        func text(_ count: Int, at offset: UInt64) throws -> String {
            let target = OwnedBytes(count: count)
            let done = try reader.read(into: target.mutable, at: offset)
            return String(decoding: target.bytes.slice(0, done).array(), as: UTF8.self)
        }
        try file.append("far", at: size)
        let holes = try #require(reader as? SimulatedReadableFile)
        #expect(
            try [0, 1, size - 1, size + 1, size + 3, size + 4].map { try holes.contentOffset(from: $0) }
                == [size, size, size, size + 1, size + 3, size + 4])
        try file.append("near", at: 3)
        #expect(try holes.contentOffset(from: 0) == 0)
        #expect(try text(5, at: size - 1) == "\0far")
        #expect(try text(8, at: start) == "\0\0\0near\0")
        try file.truncate(to: size + 1)
        try file.truncate(to: size + 3)
        #expect(try text(5, at: size) == "f\0\0")
        try file.truncate(to: 5)
        try file.truncate(to: size + 3)
        #expect(try text(8, at: start) == "\0\0\0ne\0\0\0")
        #expect(try text(5, at: size) == "\0\0\0")
    }
}
