import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Encodes one value of a compact document, with the containers that the value asks for.
///
/// A value that is encoded inside writes behind its parent's bytes, into the same memory, and has ended when the
/// parent continues. Nested containers and super encoders may be written in any order until their parent ends, so they
/// have memory of their own. The parent holds their places with a null, and takes their bytes in at its end.
@safe
final class CompactEncoder: Encoder {
    private enum Form {
        /// Nothing has been asked for.
        case none
        case object
        case array
        case single
    }

    /// A nested container that has memory of its own.
    private struct Part {
        /// The offset of the null that holds its place.
        let offset: Int
        let encoder: CompactEncoder
    }

    let output: CompactOutput
    private var start: Int
    /// The number of containers around the value.
    private let depth: Int
    private let parent: CompactEncoder?
    private let key: (any CodingKey)?
    private var form = Form.none
    /// The number of elements or fields.
    private(set) var count = 0
    private var names = NameFilter()
    private var parts: [Part] = []
    /// Makes the containers of fields, while a document of the session is encoded.
    private var session: Unmanaged<CompactSession>?

    init(_ output: CompactOutput, depth: Int = 0, parent: CompactEncoder? = nil, key: (any CodingKey)? = nil) {
        self.output = output
        start = output.count
        self.depth = depth
        self.parent = parent
        self.key = key
        output.active = ObjectIdentifier(self)
    }

    // MARK: Sessions

    /// Begins to encode a document of a session, which nothing but the session refers to. Returns its offset.
    func begin(_ version: Int?, in session: CompactSession) -> Int {
        output.rollBack(to: 0)
        output.misuse = nil
        output.active = ObjectIdentifier(self)
        if let version { output.appendHeader(of: version) }
        start = output.count
        (form, count, names) = (.none, 0, NameFilter())
        if !parts.isEmpty { parts = [] }
        unsafe self.session = Unmanaged.passUnretained(session)
        return start
    }

    /// Ends the document. If a type has kept the encoder, the type owns it from now on.
    func end() { unsafe session = nil }

    var codingPath: [any CodingKey] {
        let outer = parent?.codingPath ?? []
        return key.map { outer + [$0] } ?? outer
    }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Ends the value.
    func finish() throws {
        if let misuse = output.misuse { throw StorageError(.codecFailure, misuse) }
        if form == .none { try begin(.object) }
        // From the last to the first, so that the offsets of the others stay.
        for part in parts.reversed() {
            try part.encoder.finish()
            output.replaceByte(at: part.offset, with: part.encoder.output.bytes)
        }
        if form != .single { try output.endContainer(at: start) }
        output.active = parent?.output === output ? parent.map { ObjectIdentifier($0) } : nil
    }

    /// Returns the error for a container that is used in a wrong way.
    func failure(_ problem: String) -> EncodingError {
        EncodingError.invalidValue(
            0, EncodingError.Context(codingPath: codingPath, debugDescription: problem))
    }

    // MARK: Containers

    private func begin(_ form: Form) throws {
        guard self.form != form || form == .single else { return }
        guard self.form == .none else { throw failure("a value asks for containers of two kinds") }
        try requireActive()
        self.form = form
        guard form != .single else { return }
        guard depth < CompactLimits.depthMax else {
            throw failure("it is nested deeper than \(CompactLimits.depthMax) levels")
        }
        output.beginContainer(form == .object ? CompactKind.object : CompactKind.array)
    }

    /// Returns an encoder that may begin such a container: this one, or one whose output is dropped and whose misuse
    /// fails the encoding at its end.
    private func beginning(_ form: Form) -> CompactEncoder {
        do {
            try begin(form)
            return self
        } catch {
            output.misuse = output.misuse ?? "\(error)"
            let lost = CompactEncoder(CompactOutput())
            lost.form = form
            lost.output.beginContainer(CompactKind.object)
            return lost
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        let encoder = beginning(.object)
        if encoder === self, let session = unsafe session {
            return unsafe session._withUnsafeGuaranteedRef { $0.container(of: self, keyedBy: Key.self) }
        }
        return encoder.ownContainer()
    }

    /// Separate from the containers of sessions, because it requests types from the runtime.
    @inline(never)
    private func ownContainer<Key: CodingKey>() -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(CompactKeyedEncoding<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        CompactUnkeyedEncoding(encoder: beginning(.array))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { CompactSingleEncoding(encoder: self) }

    // MARK: Values

    /// Writes the name of a field. A name that the object already has is an error: readers would disagree on its value.
    @inline(__always)
    func beginField(_ name: String) throws {
        try requireActive()
        let offset = output.count
        output.append(name)
        let header = name.utf8.count > Int(CompactKind.smallMax) ? CompactLimits.headerBytes : 1
        let bytes = output.bytes.suffix(from: offset &+ header)
        let mayExist = count < NameFilter.fewMax ? names.addFew(bytes) : try addMany(bytes, offset)
        if mayExist, try hasField(bytes, before: offset) {
            output.rollBack(to: offset)
            throw failure("a name is encoded twice in one container name=\(name)")
        }
        count &+= 1
    }

    /// Adds the name of the field at an offset to those of many. Returns true if it may be there already.
    @inline(never)
    private func addMany(_ name: Bytes, _ offset: Int) throws(StorageError) -> Bool {
        if count == NameFilter.fewMax {
            _ = try visitNames(before: offset) { (name) in
                _ = names.addMany(name)
                return false
            }
        }
        return names.addMany(name)
    }

    /// Returns true if a field before an offset has a name.
    @inline(never)
    private func hasField(_ name: Bytes, before offset: Int) throws(StorageError) -> Bool {
        try visitNames(before: offset) { $0 == name }
    }

    /// Calls `visit` with the names of the fields before an offset until it returns true. Returns true if it did.
    private func visitNames(before end: Int, _ visit: (Bytes) -> Bool) throws(StorageError) -> Bool {
        let written = output.bytes.slice(0, end)
        do throws(ParseFailure) {
            var offset = start + CompactLimits.headerBytes
            while offset < end {
                if visit(try CompactValue(in: written, at: &offset).content) { return true }
                _ = try CompactValue(in: written, at: &offset)
            }
            return false
        } catch {
            throw .badDocument(error)
        }
    }

    @inline(__always)
    private func requireActive() throws {
        guard output.active == ObjectIdentifier(self) else {
            throw failure("a container is used while another one is written, or after its end")
        }
    }

    func beginElement() throws {
        try requireActive()
        count &+= 1
    }

    func beginSingle() throws {
        guard form == .none else { throw failure("a value is encoded twice") }
        try begin(.single)
    }

    /// Encodes the value of a field or an element that has begun at an offset. If that throws, it has not begun.
    @inline(__always)
    func encode<T: Encodable>(
        _ value: T, from offset: Int, _ key: @autoclosure () -> (any CodingKey)?
    ) throws {
        do {
            if try output.append(scalar: value) { return }
            let inner = CompactEncoder(
                output, depth: form == .single ? depth : depth &+ 1, parent: self, key: key())
            try value.encode(to: inner)
            try inner.finish()
        } catch {
            output.rollBack(to: offset)
            output.active = ObjectIdentifier(self)
            if form == .single { form = .none } else { count &-= 1 }
            throw error
        }
    }

    // MARK: Parts

    /// Returns an encoder for a field that may be written later.
    func fieldPart(_ key: any CodingKey) -> CompactEncoder {
        part(key) { try beginField(key.stringValue) }
    }

    /// Returns an encoder for an element that may be written later.
    func elementPart() -> CompactEncoder { part(CompactIndex(count)) { try beginElement() } }

    /// Returns an encoder whose place `begin` has made. If that throws, the encoding fails at its end.
    private func part(_ key: any CodingKey, _ begin: () throws -> Void) -> CompactEncoder {
        let encoder = CompactEncoder(CompactOutput(), depth: depth + 1, parent: self, key: key)
        do {
            try begin()
            parts.append(Part(offset: output.count, encoder: encoder))
            output.append(kind: CompactKind.null)
        } catch {
            output.misuse = output.misuse ?? "\(error)"
        }
        return encoder
    }
}

/// Tells quickly that a name is new among those of an object, for all but a few objects.
private struct NameFilter {
    /// From this number of names on, their hashes are kept.
    static let fewMax = 24

    private var mask: UInt64 = 0
    private var hashes: Set<UInt64> = []

    /// Adds a name. Returns false if it is certainly new.
    @inline(__always)
    mutating func addFew(_ name: Bytes) -> Bool {
        var number = UInt64(truncatingIfNeeded: name.count)
        if name.count > 0 {
            number = number &* 31 &+ UInt64(name[0])
            number = number &* 31 &+ UInt64(name[name.count &- 1])
            number = number &* 31 &+ UInt64(name[name.count >> 1])
        }
        let bit: UInt64 = 1 &<< (number & 63)
        defer { mask |= bit }
        return mask & bit != 0
    }

    /// Adds one of many names. Returns false if it is certainly new.
    mutating func addMany(_ name: Bytes) -> Bool { !hashes.insert(XXH3.hash(name)).inserted }
}
