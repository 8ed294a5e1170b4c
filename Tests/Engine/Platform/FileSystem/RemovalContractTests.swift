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
