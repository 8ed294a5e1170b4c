import Shale
import ShaleEngine
import ShalePlatform
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Bytes that are written in pieces are those of any other write: as a whole, in parts, with their options.
@Suite struct StreamedBytesTests {
    private struct Lost: Error {}

    private static let lengths = [0, 1, 5000, (1 << 20) + 7, 3_000_000]

    private func content(_ length: Int) -> [UInt8] {
        SeededRandom(seed: UInt64(length)).bytes(length)
    }

    private func pieces(_ length: Int) -> [[UInt8]] {
        let whole = content(length)
        return stride(from: 0, to: length, by: 70_001).map { Array(whole[$0..<min(length, $0 + 70_001)]) }
    }

    private func check(_ namespace: Store.Namespace, _ key: String, _ length: Int) throws {
        #expect(try namespace.value(forKey: key, as: [UInt8].self) == content(length))
        #expect(try namespace.info(forKey: key)?.payloadByteCount == length)
        for range in [0..<10, length / 2..<length / 2 + 70_000, length..<length + 5] {
            #expect(
                try namespace.bytes(forKey: key, in: range) == Array(content(length)[range.clamped(to: 0..<length)]))
        }
    }

    @Test(arguments: [false, true]) func chunksAreStored(isTimed: Bool) throws {
        let fixture = try StoreFixture(isInMemory: true)
        let namespace = fixture["n"]
        if isTimed {
            try namespace.setOptions(
                NamespaceOptions(isPurgeable: true, purgePolicy: PurgePolicy(maximumAge: .seconds(1000))))
        }
        for length in Self.lengths {
            try namespace.setBytes(inPieces: pieces(length), forKey: "\(length)")
            try check(namespace, "\(length)", length)
            #expect(try (namespace.info(forKey: "\(length)")?.writtenAt != nil) == isTimed)
        }
        try fixture.reopen()
        for length in Self.lengths { try check(fixture["n"], "\(length)", length) }
    }

    @Test func anAsynchronousSequenceIsStoredOrNothingOfIt() async throws {
        let fixture = try StoreFixture(isInMemory: true)
        let namespace = fixture["n"]
        let (good, parts) = (3_000_000, pieces(3_000_000))
        func stream(fails: Bool) -> AsyncThrowingStream<[UInt8], any Error> {
            AsyncThrowingStream { continuation in
                for part in parts { continuation.yield(part) }
                continuation.finish(throwing: fails ? Lost() : nil)
            }
        }
        await #expect(throws: Lost.self) { try await namespace.setBytes(from: stream(fails: true), forKey: "k") }
        #expect(try !namespace.contains("k"))
        try await namespace.setBytes(from: stream(fails: false), forKey: "k", durability: .synced)
        try check(namespace, "k", good)
    }

    @Test func aCancelledTaskStoresNothing() async throws {
        let fixture = try StoreFixture(isInMemory: true)
        let namespace = fixture["n"]
        let task = Task {
            try await namespace.setBytes(
                from: AsyncStream<[UInt8]> { continuation in
                    continuation.yield([1, 2, 3])
                    // Never finished by its source.
                    continuation.onTermination = { _ in }
                }, forKey: "k")
        }
        task.cancel()
        let code: StorageError.Code?
        do { try await task.value; code = nil } catch { code = (error as? StorageError)?.code }
        #expect(code == .cancelled)
        #expect(try !namespace.contains("k"))
    }

    @Test func aFileAndADescriptorAreStored() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        let path = fixture.path + ".input"
        try Data(content(2_000_000)).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try namespace.setBytes(ofFile: path, forKey: "file")
        try check(namespace, "file", 2_000_000)
        let descriptor = unsafe open(path, O_RDONLY)
        try #require(descriptor >= 0)
        lseek(descriptor, 1_999_000, SEEK_SET)
        try namespace.setBytes(fromDescriptor: descriptor, forKey: "rest")
        #expect(try namespace.value(forKey: "rest", as: [UInt8].self) == Array(content(2_000_000)[1_999_000...]))
        #expect(close(descriptor) == 0, "the descriptor stays the caller's")
        let missing = code { () throws(StorageError) in try namespace.setBytes(ofFile: path + "x", forKey: "file") }
        #expect(missing == .missing)
        try check(namespace, "file", 2_000_000)
    }

    @Test func optionsOfTheEntryApply() throws {
        let fixture = try StoreFixture(isInMemory: true)
        let namespace = fixture["n"]
        try namespace.setBytes(
            inPieces: pieces(2_000_000), forKey: "k", options: [.purgeable, .expires(after: .seconds(10))])
        let info = try #require(try namespace.info(forKey: "k"))
        #expect(info.isPurgeable && info.expiresAt != nil)
        fixture.time.advance(milliseconds: 10_000)
        #expect(try namespace.bytes(forKey: "k", in: 0..<1) == nil)
    }

    @Test func aNamespaceThatIsDroppedMeanwhileRefusesTheValue() throws {
        let fixture = try StoreFixture(isInMemory: true)
        let namespace = fixture["n"]
        let writer = try namespace.makeValueWriter(forKey: "k")
        try writer.append(content(2_000_000))
        try namespace.drop()
        #expect(code { () throws(StorageError) in try writer.commit() } == .namespaceDropped)
        #expect(try namespace.value(forKey: "k", as: [UInt8].self) == nil)
    }

    @Test func aReadOnlyStoreRefusesAWriter() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(1, forKey: "a")
        try fixture.store.sync()
        let reader = try fixture.reader()
        #expect(
            code { () throws(StorageError) in _ = try reader.common["n"].makeValueWriter(forKey: "k") } == .readOnly)
        try reader.close()
    }
}
