import ShaleBase
import ShalePlatform
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The contract of both file systems for files.
@Suite struct FileContractTests {
    @Test(arguments: FileSystemUnderTest.allCases)
    func writtenBytesAreReadBack(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            let random = SeededRandom(seed: 7)
            let owner = OwnedBytes(random.bytes(100_000))
            let file = try directory.create("f")
            try file.write(owner.bytes.slice(0, 60_000), at: 0)
            try file.write(owner.bytes.suffix(from: 60_000), at: 60_000)
            try file.close()
            let reader = try directory.open("f")
            #expect(try reader.size() == 100_000)
            let target = OwnedBytes(count: 100_100)
            #expect(try reader.read(into: target.mutable, at: 0) == 100_000)
            #expect(target.bytes.slice(0, 100_000) == owner.bytes)
            #expect(try reader.read(into: target.mutable, at: 99_990) == 10)
            #expect(try reader.read(into: target.mutable, at: 200_000) == 0)
            reader.adviseSequential(offset: 0, count: 4096)
        }
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func aGapBetweenWritesReadsAsZeros(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            let file = try directory.create("f")
            try file.append("abc", at: 0)
            try file.append("def", at: 40_000)
            let target = OwnedBytes(count: 40_003)
            #expect(try directory.open("f").read(into: target.mutable, at: 0) == 40_003)
            #expect(target.bytes.slice(3, 39_997).array().allSatisfy { $0 == 0 })
            #expect(target.bytes.suffix(from: 40_000).array() == Array("def".utf8))
        }
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func anExistingNameIsNotCreatedAgain(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            try directory.make("f", "old")
            expectFailure(EEXIST) { _ = try directory.create("f") }
            #expect(try directory.content("f") == "old")
        }
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func preallocationExtendsWithZerosAndTruncationCuts(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            let file = try directory.create("f")
            try file.append("abcdef", at: 0)
            try file.preallocate(1 << 20)
            let reader = try directory.open("f")
            #expect(try reader.size() == 1 << 20)
            try file.preallocate(10)
            #expect(try reader.size() == 1 << 20)
            try file.truncate(to: 3)
            #expect(try reader.text() == "abc")
            try file.truncate(to: 5)
            #expect(try reader.text() == "abc\0\0")
            try file.sync()
        }
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func aClosedFileRefusesEveryCallAndClosesAgain(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            let file = try directory.create("f")
            try file.close()
            try file.close()
            expectFailure(EBADF) { try file.append("x", at: 0) }
            expectFailure(EBADF) { try file.sync() }
            let reader = try directory.open("f")
            reader.close()
            reader.close()
            expectFailure(EBADF) { _ = try reader.size() }
        }
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func anOpenFileOutlivesItsName(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            try directory.make("f", "still here")
            let reader = try directory.open("f")
            try directory.remove("f")
            #expect(try directory.exists("f") == false)
            #expect(try reader.text() == "still here")
        }
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func onlyRegularFilesOpen(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            _ = try directory.openDirectory("d", create: true)
            expectFailure(EISDIR) { _ = try directory.open("d") }
            expectFailure(ENOENT) { _ = try directory.open("none") }
            try directory.make("f", "")
            expectFailure(ENOTDIR) { _ = try directory.openDirectory("f", create: true) }
        }
    }
}

/// Removal in steps: a reader that still sees the file sees all of it.
@Suite struct RemovalContractTests {
    private static let count = (5 << 20) + 777

    private func make(_ name: String, in directory: any Directory) throws {
        let content = OwnedBytes(SeededRandom(seed: 9).bytes(RemovalContractTests.count))
        let file = try directory.create(name)
        try file.write(content.bytes, at: 0)
        try file.close()
    }

    private func isWhole(_ file: any ReadableFile) throws -> Bool {
        let buffer = OwnedBytes(count: RemovalContractTests.count + 1)
        let count = try file.read(into: buffer.mutable, at: 0)
        return buffer.bytes.slice(0, count).array() == SeededRandom(seed: 9).bytes(RemovalContractTests.count)
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func theNameIsGone(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            try make("large", in: directory)
            try directory.make("small", "x")
            try directory.removeInSteps("large")
            try directory.removeInSteps("small")
            #expect(try directory.list() == [])
            expectFailure(ENOENT) { try directory.removeInSteps("large") }
            expectFailure(EINVAL) { try directory.removeInSteps("../large") }
        }
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func aReaderKeepsTheContent(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            try make("f", in: directory)
            let reader = try directory.open("f")
            defer { reader.close() }
            try directory.removeInSteps("f")
            #expect(try isWhole(reader))
        }
    }

    @Test(arguments: FileSystemUnderTest.allCases)
    func anotherNameKeepsTheContent(_ kind: FileSystemUnderTest) throws {
        try kind.withDirectory { directory in
            try make("f", in: directory)
            try directory.link("f", to: "g", in: directory)
            try directory.removeInSteps("f")
            let reader = try directory.open("g")
            defer { reader.close() }
            #expect(try isWhole(reader))
        }
    }
}
