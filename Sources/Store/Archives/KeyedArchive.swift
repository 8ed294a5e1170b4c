package import ShaleBase

/// A keyed archive, as `NSKeyedArchiver` writes it, read without running anybody's code.
///
/// A binary property list: `$archiver`, `$version`, `$objects` (a list of values, objects as dictionaries and descriptions
/// of classes, which mean each other by UID) and `$top`, which names the root. Foundation's reader ends the process on
/// damage and on classes that are not expected, and runs out of stack on cycles. So everything is checked here before
/// anything is made of it: the property list itself, UIDs in range, every object of a described class, the fields of
/// Foundation's value classes, no cycle, depth ≤ 64, at most 2²⁰ parts and 64 MiB of strings and data after expansion.
/// O(bytes).
package struct KeyedArchive: Sendable {
    /// Nesting of objects, and of the lists inside one.
    package static let depthMax = 64
    /// Parts and objects after every reference has been followed.
    package static let partsMax = 1 << 20

    package let contents: [ArchivedContent]
    /// The object that was archived.
    package let root: Int

    /// Throws `.corruption` for everything that is not such an archive.
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
        else { throw ParseFailure("it is not of NSKeyedArchiver's format") }
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

    /// Classes don't stand for values.
    private func requireValue(_ object: Int) throws(ParseFailure) {
        guard contents.indices.contains(object) else { throw ParseFailure("a UID is out of range") }
        if case .classDescription = contents[object] { throw ParseFailure("a class stands for a value") }
    }

    /// The classes of its objects, apart from Foundation's value classes.
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

    /// The bytes of a value's strings and data. What is made of the archive has them once for each reference.
    func contentBytes(of node: Int) throws(ParseFailure) -> Int { contents[node].contentBytes }

    /// Without those to `nil`, which is an object for the archive, but not for anybody else.
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
