package import ShaleBase

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A keyed archive in the format of `NSKeyedArchiver`, parsed without running code of the archived classes.
///
/// The archive is a binary property list with `$archiver`, `$version`, `$objects` and `$top`. `$objects` lists values,
/// objects as dictionaries, and descriptions of classes; they refer to each other by UID. `$top` names the root.
///
/// Foundation's reader ends the process on damage and on unexpected classes, and overflows the stack on cycles. The
/// initializer therefore checks all of this before any value is made:
///
/// - the property list itself, and that UIDs are in range
/// - that every object has a described class, and the fields of Foundation's value classes
/// - no cycle, and a depth of at most 64
/// - after expansion, at most 2²⁰ parts and 64 MiB of strings and data
///
/// - Complexity: O(bytes).
package struct KeyedArchive: Sendable {
    /// The maximum nesting of objects, and of the lists inside one object.
    package static let depthMax = 64
    /// The maximum number of parts and objects after every reference has been followed.
    package static let partsMax = 1 << 20

    package let contents: [ArchivedContent]
    /// The number of the object that was archived.
    package let root: Int

    /// Parses and checks an archive.
    ///
    /// - Throws: `.corruption` if `payload` is not a valid keyed archive.
    package init(_ payload: RawSpan) throws(StorageError) {
        self = try unsafe payload.withUnsafeBytes { (buffer) throws(StorageError) in
            do throws(ParseFailure) {
                return try KeyedArchive(unsafe Bytes(buffer))
            } catch {
                throw .corruption("a keyed archive is not valid: \(error.reason)")
            }
        }
    }

    private init(_ bytes: Bytes) throws(ParseFailure) {
        let list = try BinaryPropertyList(bytes, allowsUIDs: true)
        try ReferenceCheck.run(list, depthMax: KeyedArchive.depthMax, expandedMax: KeyedArchive.partsMax)
        guard case .dictionary(let members) = try list.part(list.topObject),
            members["$archiver"]?.text == "NSKeyedArchiver",
            case .value(.int(100_000)) = members["$version"],
            case .dictionary(let top) = members["$top"], case .array(let objects) = members["$objects"]
        else { throw ParseFailure("it is not in NSKeyedArchiver's format") }
        guard case .reference(let root)? = top["root"] ?? (top.count == 1 ? top.first?.value : nil) else {
            throw ParseFailure("it has no root")
        }
        contents = try KeyedArchive.contents(objects)
        self.root = root
        try requireValue(root)
        try ReferenceCheck.run(self, depthMax: KeyedArchive.depthMax, expandedMax: KeyedArchive.partsMax)
    }

    private static func contents(_ objects: [ArchivePart]) throws(ParseFailure) -> [ArchivedContent] {
        var classNames: [Int: String] = [:]
        for (number, part) in objects.enumerated() {
            if let name = try ArchivedContent.className(part) { classNames[number] = name }
        }
        var contents: [ArchivedContent] = []
        contents.reserveCapacity(objects.count)
        for part in objects { contents.append(try ArchivedContent(part, classNames: classNames)) }
        return contents
    }

    /// Throws if `object` is out of range or a class description, which can't stand for a value.
    private func requireValue(_ object: Int) throws(ParseFailure) {
        guard contents.indices.contains(object) else { throw ParseFailure("a UID is out of range") }
        if case .classDescription = contents[object] { throw ParseFailure("a class description is used as a value") }
    }

    /// The names of the classes of its objects, except Foundation's value classes.
    package var classNames: Set<String> {
        var names: Set<String> = []
        for case .object(let name, _) in contents { names.insert(name) }
        return names
    }
}

extension KeyedArchive: ReferenceGraph {
    var nodeCount: Int { contents.count }
    func count(_ references: [Int]) -> Int { references.count }
    func target(_ references: [Int], _ index: Int) throws(ParseFailure) -> Int { references[index] }

    /// The number of bytes of a value's strings and data. A decoded archive holds them once for each reference to the
    /// value.
    func contentBytes(of node: Int) throws(ParseFailure) -> Int { contents[node].contentBytes }

    /// Returns the objects that `node` refers to. References to the archive's `nil` object are left out: they decode to
    /// nothing.
    func references(of node: Int) throws(ParseFailure) -> [Int] {
        var references: [Int] = []
        for object in contents[node].references {
            try requireValue(object)
            if case .null = contents[object] { continue }
            references.append(object)
        }
        return references
    }
}

extension KeyedArchive {
    /// The archive as data, for readers that don't have its classes.
    ///
    /// - Collections become arrays.
    /// - Dictionaries whose keys are all text become dictionaries; others become arrays of pairs.
    /// - URLs and UUIDs become text.
    /// - Objects of other classes become dictionaries of their fields, with the name of the class under `$class`.
    package var tree: StructuredValue { tree(root) }

    /// Converts one object. The check of references bounds recursion and size.
    private func tree(_ object: Int) -> StructuredValue {
        switch contents[object] {
        case .null, .nullObject: return .null
        case .value(let value): return value
        case .uuid(let bytes): return .string(KeyedArchive.uuid(bytes).uuidString)
        case .url(_, let relative): return url(object).map { .string($0.absoluteString) } ?? tree(relative)
        case .collection(_, _, let elements): return .array(elements.map(tree))
        case .dictionary(_, let keys, let values): return dictionary(keys.map(tree), values.map(tree))
        case .object(let className, let fields):
            var members = fields.mapValues(tree)
            members["$class"] = .string(className)
            return .dictionary(members)
        case .classDescription(let name): return .string(name)
        }
    }

    private func tree(_ part: ArchivePart) -> StructuredValue {
        switch part {
        case .value(let value): value
        case .reference(let object): tree(object)
        case .array(let parts): .array(parts.map(tree))
        case .dictionary(let members): .dictionary(members.mapValues(tree))
        }
    }

    private func dictionary(_ keys: [StructuredValue], _ values: [StructuredValue]) -> StructuredValue {
        var members: [String: StructuredValue] = [:]
        for (key, value) in zip(keys, values) {
            guard case .string(let name) = key else {
                return .array(zip(keys, values).map { .array([$0, $1]) })
            }
            members[name] = value
        }
        return .dictionary(members)
    }

    /// Returns the UUID with these 16 bytes.
    package static func uuid(_ bytes: [UInt8]) -> UUID {
        unsafe bytes.withUnsafeBytes { unsafe UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// Returns the URL that an object represents; `nil` if it is not a URL object or its text is not a valid URL.
    package func url(_ object: Int) -> URL? {
        guard case .url(let base, let relative) = contents[object],
            case .value(.string(let text)) = contents[relative]
        else { return nil }
        return URL(string: text, relativeTo: url(base))
    }
}
