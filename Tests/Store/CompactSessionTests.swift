import ShaleBase
import TestSupport
import Testing

@testable import Shale

/// A session decodes and encodes one document after the other as if each had coders of its own.
@Suite struct CompactSessionTests {
    private struct Point: Codable, Equatable {
        var x: Int
        var name: String?
    }

    private struct Other: Codable, Equatable { var texts: [String] }

    private func decoded<T: Decodable>(
        _ bytes: [UInt8], as type: T.Type = T.self, _ session: CompactSession
    ) throws(StorageError) -> T {
        try unsafe CodableCoder.decode(T.self, CompactInput(copying: bytes.span.bytes), session)
    }

    private func encoded<T: Encodable>(_ value: T, _ session: CompactSession) throws(StorageError) -> [UInt8] {
        var bytes: [UInt8] = []
        try CompactCoder.with(value, session) { (document) in bytes = [UInt8](copying: document) }
        return bytes
    }

    @Test func valuesOfSeveralTypesFollowEachOther() throws {
        let session = CompactSession()
        for number in 0..<50 {
            let point = Point(x: number, name: number % 3 == 0 ? nil : String(repeating: "n", count: number))
            let other = Other(texts: (0..<number % 5).map { "t\($0)" })
            let pointBytes = try encoded(point, session)
            #expect(pointBytes == (try Compact.bytes(point)))
            #expect(try decoded(pointBytes, session) == point)
            guard number % 4 == 0 else { continue }
            let otherBytes = try encoded(other, session)
            #expect(otherBytes == (try Compact.bytes(other)))
            #expect(try decoded(otherBytes, session) == other)
            #expect(try decoded(try encoded(number, session), session) == number)
        }
    }

    @Test func anErrorLeavesNothingBehind() throws {
        struct Failing: Codable {
            var x: Int
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(x, forKey: .x)
                throw StorageError.invalid("refused")
            }
        }
        let session = CompactSession()
        let point = Point(x: 1, name: "a")
        let bytes = try Compact.bytes(point)
        for _ in 0..<3 {
            #expect(throws: StorageError.self) { try decoded(bytes, as: Other.self, session) }
            #expect(throws: StorageError.self) { try encoded(Failing(x: 1), session) }
            #expect(try decoded(bytes, session) == point)
            #expect(try encoded(point, session) == bytes)
        }
    }

    /// A document that is decoded while another one is has a coder of its own.
    @Test func aTypeMayUseAnotherSessionMeanwhile() throws {
        struct Outer: Codable {
            var x: Int
            var inner: Point?
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                inner = try Compact.copy(Point(x: 9, name: "inner"))
                x = try container.decode(Int.self, forKey: .x)
            }
        }
        let session = CompactSession()
        let found = try decoded(try Compact.bytes(Point(x: 7)), as: Outer.self, session)
        #expect(found.x == 7 && found.inner == Point(x: 9, name: "inner"))
    }

    // MARK: Kept coders

    private enum Names: String, CodingKey { case x, name, inner }

    /// Decodes nothing before it is asked.
    private struct Late: Decodable {
        let decoder: any Decoder
        init(from decoder: any Decoder) throws { self.decoder = decoder }
        var x: Int { get throws { try decoder.container(keyedBy: Names.self).decode(Int.self, forKey: .x) } }
    }

    private struct LateContainer: Decodable {
        let first: Int
        let container: KeyedDecodingContainer<Names>
        init(from decoder: any Decoder) throws {
            container = try decoder.container(keyedBy: Names.self)
            first = try container.decode(Int.self, forKey: .x)
        }
    }

    private struct LateInner: Decodable {
        let inner: any Decoder
        init(from decoder: any Decoder) throws {
            inner = try decoder.container(keyedBy: Names.self).superDecoder(forKey: .inner)
        }
    }

    private struct Nested: Encodable { var inner: Point }

    @Test func whoKeepsADecoderKeepsItForItsOwnDocument() throws {
        let session = CompactSession()
        let documents = try (0..<5).map { try Compact.bytes(Point(x: $0, name: "n\($0)")) }
        let late = try documents.map { try decoded($0, as: Late.self, session) }
        let containers = try documents.map { try decoded($0, as: LateContainer.self, session) }
        let inner = try (0..<5).map {
            try decoded(try Compact.bytes(Nested(inner: Point(x: $0))), as: LateInner.self, session)
        }
        for number in 0..<5 {
            #expect(try late[number].x == number)
            #expect(containers[number].first == number)
            #expect(try containers[number].container.decode(String.self, forKey: .name) == "n\(number)")
            #expect(try Point(from: inner[number].inner).x == number)
        }
        #expect(try decoded(documents[3], session) == Point(x: 3, name: "n3"))
    }

    private final class Keeper { var container: KeyedEncodingContainer<Names>? }

    private struct Writing: Encodable {
        let x: Int
        let keeper: Keeper
        /// True if the container of the value before is written to.
        let interferes: Bool
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Names.self)
            try container.encode(x, forKey: .x)
            if interferes { #expect(throws: (any Error).self) { try keeper.container?.encode(99, forKey: .name) } }
            keeper.container = container
        }
    }

    @Test func whoKeepsAnEncodersContainerDoesNotWriteIntoTheNextDocument() throws {
        let session = CompactSession()
        let keeper = Keeper()
        for number in 0..<5 {
            let bytes = try encoded(Writing(x: number, keeper: keeper, interferes: number > 0), session)
            #expect(try Compact.value(bytes) == Point(x: number))
        }
    }

    @Test func aLargeDocumentKeepsNoMemory() throws {
        let session = CompactSession()
        let large = Point(x: 1, name: String(repeating: "l", count: 1 << 20))
        #expect(try decoded(try encoded(large, session), session) == large)
        #expect(try decoded(try encoded(Point(x: 2), session), session) == Point(x: 2))
    }
}
