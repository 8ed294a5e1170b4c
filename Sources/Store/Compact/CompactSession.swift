import ShaleBase

/// The coders of the last document and their containers, which the next document uses too. Used by one thread.
///
/// To make both takes a third of the time of a small document: two objects, and several types that are requested from
/// the runtime.
///
/// A type may keep its decoder or its container, to decode something later. It keeps them for its own document
/// (``KeptCoder``), and so does one that keeps an encoder.
@safe
package final class CompactSession {
    // Nothing that these two call re-enters them, and the checks cost as much as a field.
    @exclusivity(unchecked)
    private var decoding = KeptCoder<CompactDecoder>()
    @exclusivity(unchecked)
    private var encoding = KeptCoder<CompactEncoder>()

    package init() {}

    /// Decodes a document.
    func decode<T: Decodable>(_ type: T.Type, _ input: CompactInput) throws -> T {
        let value = try CompactValue(document: input.bytes)
        let decoder = unsafe try decoding.coder { () throws(StorageError) in try CompactDecoder(input, value) }
        defer { unsafe end(decoder) }
        return try unsafe decoder._withUnsafeGuaranteedRef { (decoder) in
            try decoder.begin(input, value, in: self)
            return try CompactCoder.decode(T.self, decoder)
        }
    }

    private func end(_ decoder: Unmanaged<CompactDecoder>) {
        unsafe decoder._withUnsafeGuaranteedRef { $0.end() }
        if unsafe decoding.keep() { unsafe decoder._withUnsafeGuaranteedRef { $0.releaseInput() } }
    }

    /// Encodes a document and passes the encoder's output, which is valid during the call.
    func encode<T: Encodable>(
        _ value: T, version: Int?, _ body: (CompactOutput, _ start: Int) throws -> Void
    ) throws {
        let encoder = unsafe encoding.coder { CompactEncoder(CompactOutput()) }
        defer { unsafe end(encoder) }
        try unsafe encoder._withUnsafeGuaranteedRef { (encoder) in
            let start = encoder.begin(version, in: self)
            if !(try encoder.output.append(scalar: value)) {
                try value.encode(to: encoder)
                try encoder.finish()
            }
            try body(encoder.output, start)
        }
    }

    private func end(_ encoder: Unmanaged<CompactEncoder>) {
        let isSmall = unsafe encoder._withUnsafeGuaranteedRef { (encoder) in
            encoder.end()
            return encoder.output.isSmall
        }
        if unsafe !encoding.keep() || !isSmall { unsafe encoding = KeptCoder() }
    }

    /// Returns the container of a document's fields: the one of the last document if that had the same type of keys.
    @inline(__always)
    func container<Key: CodingKey>(of decoder: CompactDecoder, keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        guard let known = unsafe decoding.container(of: ObjectIdentifier(Key.self)) else {
            return newContainer(decoder)
        }
        return unsafe unsafeBitCast(known, to: KeyedDecodingContainer<Key>.self)
    }

    @inline(__always)
    func container<Key: CodingKey>(of encoder: CompactEncoder, keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        guard let known = unsafe encoding.container(of: ObjectIdentifier(Key.self)) else {
            return newContainer(encoder)
        }
        return unsafe unsafeBitCast(known, to: KeyedEncodingContainer<Key>.self)
    }

    // Separate, because they request types from the runtime.

    @inline(never)
    private func newContainer<Key: CodingKey>(_ decoder: CompactDecoder) -> KeyedDecodingContainer<Key> {
        let fresh = KeyedDecodingContainer(CompactKeyedDecoding<Key>(decoder: decoder))
        guard MemoryLayout<KeyedDecodingContainer<Key>>.size == MemoryLayout<AnyObject>.size else { return fresh }
        unsafe decoding.add(unsafeBitCast(fresh, to: AnyObject.self), ObjectIdentifier(Key.self))
        return fresh
    }

    @inline(never)
    private func newContainer<Key: CodingKey>(_ encoder: CompactEncoder) -> KeyedEncodingContainer<Key> {
        let fresh = KeyedEncodingContainer(CompactKeyedEncoding<Key>(encoder: encoder))
        guard MemoryLayout<KeyedEncodingContainer<Key>>.size == MemoryLayout<AnyObject>.size else { return fresh }
        unsafe encoding.add(unsafeBitCast(fresh, to: AnyObject.self), ObjectIdentifier(Key.self))
        return fresh
    }
}

/// A coder and the container that it has given to the last value, for the next one.
///
/// The container of the standard library is a reference to one object, which refers to the coder.
///
/// 1. Between two values this holds the only reference to the container's object, and that the only one to the coder.
///    ``keep()`` checks both counts after each value, and gives both up if one is larger. A type that has kept one of
///    them then owns it alone.
/// 2. Coders of inner values refer to the one around them. So one that was kept is found as well.
@safe
struct KeptCoder<Coder: AnyObject> {
    /// The coder, while ``container`` is `nil` or new.
    private var owned: Coder?
    private var coder: Unmanaged<Coder>?
    private var container: AnyObject?
    /// The type of the container's keys.
    private var keys: ObjectIdentifier?

    /// Returns the coder for a value, which this keeps alive until ``keep()``.
    @inline(__always)
    mutating func coder<Failure: Error>(_ make: () throws(Failure) -> Coder) throws(Failure) -> Unmanaged<Coder> {
        if let coder = unsafe coder { return unsafe coder }
        let fresh = try make()
        let reference = unsafe Unmanaged.passUnretained(fresh)
        owned = fresh
        unsafe coder = reference
        return unsafe reference
    }

    /// Returns the container of the last value; `nil` if it had keys of another type, or if there is none.
    @inline(__always)
    func container(of keys: ObjectIdentifier) -> AnyObject? { self.keys == keys ? container : nil }

    /// Keeps a container. The first one of the first value stays.
    mutating func add(_ container: AnyObject, _ keys: ObjectIdentifier) {
        guard self.container == nil else { return }
        self.container = container
        self.keys = keys
    }

    /// Ends a value. Returns false if something else refers to the coder or its container; both are given up then.
    mutating func keep() -> Bool {
        if isUnique() { return true }
        self = KeptCoder()
        return false
    }

    private mutating func isUnique() -> Bool {
        guard container != nil, let coder = unsafe coder else { return isKnownUniquelyReferenced(&owned) }
        owned = nil
        guard isKnownUniquelyReferenced(&container) else { return false }
        // Takes the container's reference, to look at its count, and gives it back.
        var reference = unsafe coder.takeRetainedValue()
        let isUnique = isKnownUniquelyReferenced(&reference)
        _ = unsafe Unmanaged.passRetained(reference)
        return isUnique
    }
}
