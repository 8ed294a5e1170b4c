import ShaleBase

/// The name of a namespace in the engine's catalogue: its space and its path there. On disk, do not change.
///
/// | size | field |
/// |---|---|
/// | 1 | space: 1 common, 2 user, 3 internal (holds no namespace that users see) |
/// | 2 + n | user id: length u16, UTF-8; only in user spaces |
/// | (2 + n)… | components of the path from the top: length u16, UTF-8 each; at least one |
///
/// Lengths are little-endian. Every part states its length, so two different paths never give the same bytes. The bytes
/// of a path are a prefix of those of all paths below it, and of no others.
package struct NamespaceName: Hashable, Sendable {
    package enum Owner: Hashable, Sendable {
        case common
        case user(String)
    }

    package let owner: Owner
    package let components: [String]

    package init(owner: Owner, components: [String]) {
        self.owner = owner
        self.components = components
    }

    func appending(_ component: String) -> NamespaceName {
        NamespaceName(owner: owner, components: components + [component])
    }

    // Compares bytes, because strings compare by canonical equivalence: "é" has two spellings, which are two names.
    package static func == (a: NamespaceName, b: NamespaceName) -> Bool { a.bytes == b.bytes }

    package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    // MARK: Bytes

    /// The name's bytes. Without components: the prefix that all names of the space share.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        switch owner {
        case .common: bytes.append(NamespaceName.commonTag)
        case .user(let id):
            bytes.append(NamespaceName.userTag)
            NamespaceName.append(id, to: &bytes)
        }
        for component in components { NamespaceName.append(component, to: &bytes) }
        return bytes
    }

    private static let commonTag: UInt8 = 1
    private static let userTag: UInt8 = 2
    static let internalTag: UInt8 = 3
    /// The prefixes of all names that users see.
    static let spaces: [[UInt8]] = [[commonTag], [userTag]]

    /// Returns a name in the store's internal space.
    static func internalName(_ name: String) -> [UInt8] {
        var bytes = [internalTag]
        append(name, to: &bytes)
        return bytes
    }

    private static func append(_ part: String, to bytes: inout [UInt8]) {
        let text = Array(part.utf8)
        // A part too long for its length field also makes the whole name too long, and `checkedBytes` rejects it.
        let length = UInt16(clamping: text.count)
        bytes.append(UInt8(truncatingIfNeeded: length))
        bytes.append(UInt8(truncatingIfNeeded: length >> 8))
        bytes += text
    }

    /// Returns the bytes. Throws `.invalidArgument` if the catalogue would not accept them.
    func checkedBytes() throws(StorageError) -> [UInt8] {
        if case .user(let id) = owner, id.isEmpty { throw .invalid("a user id is empty") }
        let bytes = bytes
        guard bytes.count <= FormatLimits.namespaceNameBytes else {
            throw .invalid(
                "a namespace's path is too long bytes=\(bytes.count) of \(FormatLimits.namespaceNameBytes)")
        }
        return bytes
    }

    /// Parses what ``bytes`` produces. Returns `nil` for other names, which an application may have given through the
    /// raw engine.
    package init?(bytes: [UInt8]) {
        do throws(ParseFailure) {
            let span = unsafe bytes.span.bytes
            self = try unsafe span.withUnsafeBytes { (buffer) throws(ParseFailure) in
                try NamespaceName(parsing: unsafe Bytes(buffer))
            }
        } catch {
            return nil
        }
    }

    private init(parsing bytes: Bytes) throws(ParseFailure) {
        var reader = ByteReader(bytes)
        switch try reader.u8() {
        case NamespaceName.commonTag: owner = .common
        case NamespaceName.userTag: owner = .user(try NamespaceName.part(&reader))
        default: throw ParseFailure("the space is unknown")
        }
        var components: [String] = []
        while !reader.isAtEnd { components.append(try NamespaceName.part(&reader)) }
        guard !components.isEmpty else { throw ParseFailure("the path is empty") }
        self.components = components
    }

    private static func part(_ reader: inout ByteReader) throws(ParseFailure) -> String {
        let length = Int(try reader.u16())
        let text = String(validating: try reader.slice(length).array(), as: UTF8.self)
        guard let text else { throw ParseFailure("a part is not UTF-8") }
        return text
    }
}
