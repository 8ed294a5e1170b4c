package import ShaleBase

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
