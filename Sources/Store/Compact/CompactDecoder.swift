import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A copy of a document, which its decoders share. The memory never changes, and is freed with the last of them.
///
/// The bytes are one allocation with the header of an object. Several documents may share one.
@safe
struct CompactInput: @unchecked Sendable {
    private let buffer: ManagedBuffer<Int, UInt8>
    private let start: Int
    private let count: Int

    init(copying document: RawSpan) {
        let count = document.byteCount
        buffer = ManagedBuffer<Int, UInt8>.create(minimumCapacity: max(1, count)) { (_) in count }
        (start, self.count) = (0, count)
        unsafe buffer.withUnsafeMutablePointerToElements { (target) in
            unsafe document.withUnsafeBytes { (source) in
                guard let start = source.baseAddress else { return }
                unsafe UnsafeMutableRawPointer(target).copyMemory(from: start, byteCount: count)
            }
        }
    }

    private init(_ buffer: ManagedBuffer<Int, UInt8>, _ start: Int, _ count: Int) {
        self.buffer = buffer
        self.start = start
        self.count = count
    }

    /// Returns a part of the bytes, in the same memory.
    func part(_ range: Range<Int>) -> CompactInput {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "a part of a document lies outside of it")
        return CompactInput(buffer, start + range.lowerBound, range.count)
    }

    /// The document. Valid as long as this input or a copy of it.
    var bytes: Bytes {
        unsafe buffer.withUnsafeMutablePointerToElements { (memory) in
            unsafe Bytes(start: UnsafeRawPointer(memory + start), count: count)
        }
    }
}

/// Decodes one value of a compact document. Used by one thread.
///
/// Nothing is decoded before it is asked for. A type asks for its fields in the order in which it encodes them, so the
/// next field is looked for behind the last one first.
@safe
final class CompactDecoder: Decoder {
    /// Keeps the memory of ``value``; `nil` while a ``CompactSession`` keeps the decoder for another document.
    private var input: CompactInput?
    private(set) var value: CompactValue
    /// The number of containers around the value.
    private let depth: Int
    private let parent: CompactDecoder?
    private let key: (any CodingKey)?
    /// The offset in an object's content behind the field that was read last.
    private var cursor = 0
    /// Makes the containers of fields, while a document of the session is decoded.
    private var session: Unmanaged<CompactSession>?

    /// Makes a decoder of a value in the memory of `input`.
    init(_ input: CompactInput, _ value: CompactValue) throws(StorageError) {
        try CompactDecoder.check(value)
        self.input = input
        self.value = value
        depth = 0
        parent = nil
        key = nil
    }

    private init(_ value: CompactValue, _ parent: CompactDecoder, _ depth: Int, _ key: (any CodingKey)?) {
        input = parent.input
        self.value = value
        self.depth = depth
        self.parent = parent
        self.key = key
    }

    @inline(__always)
    private static func check(_ value: CompactValue) throws(StorageError) {
        if value.content.count > CompactLimits.smallBytes { try CompactCheck.check(value) }
    }

    // MARK: Sessions

    /// Begins to decode a document of a session, which nothing but the session refers to.
    func begin(_ input: CompactInput, _ value: CompactValue, in session: CompactSession) throws(StorageError) {
        try CompactDecoder.check(value)
        self.input = input
        self.value = value
        cursor = 0
        unsafe self.session = Unmanaged.passUnretained(session)
    }

    /// Ends the decoding. If a type has kept the decoder, the type owns it from now on.
    func end() { unsafe session = nil }

    /// Releases the document.
    func releaseInput() {
        input = nil
        value = .null
    }

    var codingPath: [any CodingKey] {
        let outer = parent?.codingPath ?? []
        return key.map { outer + [$0] } ?? outer
    }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    // MARK: Containers

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard value.isObject else { throw refusal([String: Any].self, value, nil) }
        try requireDepth()
        if let session = unsafe session {
            return unsafe session._withUnsafeGuaranteedRef { $0.container(of: self, keyedBy: Key.self) }
        }
        return ownContainer()
    }

    /// Separate from the containers of sessions, because it requests types from the runtime.
    @inline(never)
    private func ownContainer<Key: CodingKey>() -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(CompactKeyedDecoding<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard value.isArray else { throw refusal([Any].self, value, nil) }
        try requireDepth()
        return CompactUnkeyedDecoding(decoder: self)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { CompactSingleDecoding(decoder: self) }

    private func requireDepth() throws(StorageError) {
        guard depth < CompactLimits.depthMax else {
            throw .badDocument(ParseFailure("it is nested deeper than \(CompactLimits.depthMax) levels"))
        }
    }

    /// Returns the decoder of a value inside this one.
    func inner(_ value: CompactValue, _ key: (any CodingKey)?) -> CompactDecoder {
        CompactDecoder(value, self, depth + 1, key)
    }

    // MARK: Fields

    /// Returns the field with a name. `staying` leaves the place for a following request of the same field.
    @inline(__always)
    func find(_ name: String, staying: Bool = false) throws(StorageError) -> CompactValue? {
        try name.withBytes { (name) throws(StorageError) in
            try unsafe name.withUnsafeBytes { (name) throws(StorageError) in try search(unsafe Bytes(name), staying) }
        }
    }

    private func search(_ name: Bytes, _ staying: Bool) throws(StorageError) -> CompactValue? {
        do throws(ParseFailure) {
            if let found = try search(name, from: cursor, to: value.content.count, staying) { return found }
            return try search(name, from: 0, to: cursor, staying)
        } catch {
            throw .badDocument(error)
        }
    }

    @inline(__always)
    private func search(
        _ name: Bytes, from start: Int, to end: Int, _ staying: Bool
    ) throws(ParseFailure) -> CompactValue? {
        var offset = start
        while offset < end {
            let field = offset
            let found = try CompactValue(in: value.content, at: &offset)
            let content = try CompactValue(in: value.content, at: &offset)
            guard found.isName(name) else { continue }
            cursor = staying ? field : offset
            return content
        }
        return nil
    }

    // MARK: Values

    /// Decodes a value inside this one.
    @inline(__always)
    func decode<T: Decodable>(
        _ type: T.Type, _ value: CompactValue, _ key: @autoclosure () -> (any CodingKey)?
    ) throws -> T {
        switch try value.scalar(T.self) {
        case .value(let scalar): return scalar
        case .refused: throw refusal(T.self, value, key())
        case .noScalar: return try T(from: inner(value, key()))
        }
    }

    /// Returns the error for a value that is no `type`.
    @inline(never)
    func refusal(_ type: any Any.Type, _ value: CompactValue, _ key: (any CodingKey)?) -> DecodingError {
        let path = key.map { codingPath + [$0] } ?? codingPath
        let context = DecodingError.Context(
            codingPath: path, debugDescription: "expected \(type), found \(value.kindName)")
        if value.isNull { return .valueNotFound(type, context) }
        // An integer that is out of the type's range.
        if value.kindName == "int", type is any FixedWidthInteger.Type { return .dataCorrupted(context) }
        return .typeMismatch(type, context)
    }
}
