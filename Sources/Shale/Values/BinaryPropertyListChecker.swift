import ShaleBase

/// Decides whether bytes are a binary property list that Foundation's parser can be trusted with.
///
/// The parser ends the process on object kinds that it does not expect (sets), takes anything that does not start with
/// the magic for a text format, follows references without looking for cycles, and expands shared objects once for each
/// reference. So every object of the table is checked: kinds, lengths, offsets and references in bounds, dictionary keys
/// that are strings, no cycle, a bounded depth and a bounded size after expansion. Without recursion; O(objects +
/// references).
struct BinaryPropertyListChecker {
    /// Nesting of arrays and dictionaries.
    static let depthMax = 256
    /// Objects after every reference has been followed.
    static let expandedObjectsMax = 1 << 22

    /// How far an object reaches once its references have been followed.
    private enum Extent {
        case unknown
        /// It is being followed: meeting it again is a cycle.
        case open
        case known(objects: Int, depth: Int)
    }

    /// An object whose references are being followed.
    private struct Frame {
        let object: Int
        let references: BinaryPropertyList.References
        var next = 0
    }

    private let list: BinaryPropertyList
    private var extents: [Extent]
    private var stack: [Frame] = []

    /// Throws `.corruption` when `payload` is not such a property list.
    static func check(_ payload: RawSpan) throws(StorageError) {
        try unsafe payload.withUnsafeBytes { (buffer) throws(StorageError) in
            do throws(ParseFailure) {
                var checker = BinaryPropertyListChecker(try BinaryPropertyList(unsafe Bytes(buffer)))
                try checker.run()
            } catch {
                throw .corruption("a stored property list is not valid: \(error.reason)")
            }
        }
    }

    private init(_ list: BinaryPropertyList) {
        self.list = list
        extents = [Extent](repeating: .unknown, count: list.objectCount)
    }

    /// Depth first from every object, with a stack of its own.
    private mutating func run() throws(ParseFailure) {
        for root in 0..<list.objectCount {
            guard case .unknown = extents[root] else { continue }
            try open(root)
            while let frame = stack.last {
                if frame.next == frame.references.count {
                    extents[frame.object] = try extent(frame.references)
                    stack.removeLast()
                    continue
                }
                stack[stack.count - 1].next += 1
                let target = try list.target(frame.references, frame.next)
                switch extents[target] {
                case .unknown: try open(target)
                case .open: throw ParseFailure("objects contain each other")
                case .known: break
                }
            }
        }
    }

    private mutating func open(_ object: Int) throws(ParseFailure) {
        guard stack.count < BinaryPropertyListChecker.depthMax else {
            throw ParseFailure("objects are nested too deeply")
        }
        stack.append(Frame(object: object, references: try list.references(of: object)))
        extents[object] = .open
    }

    /// All references are known by now.
    private func extent(_ references: BinaryPropertyList.References) throws(ParseFailure) -> Extent {
        var objects = 1
        var depth = 1
        for index in 0..<references.count {
            guard case .known(let inner, let height) = extents[try list.target(references, index)] else { continue }
            objects += inner
            depth = max(depth, height + 1)
            guard objects <= BinaryPropertyListChecker.expandedObjectsMax else {
                throw ParseFailure("objects expand to too many")
            }
        }
        guard depth <= BinaryPropertyListChecker.depthMax else { throw ParseFailure("objects are nested too deeply") }
        return .known(objects: objects, depth: depth)
    }
}
