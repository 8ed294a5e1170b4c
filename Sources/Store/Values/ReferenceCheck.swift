import ShaleBase

/// Numbered nodes that refer to each other, as found in bytes that nobody vouches for.
protocol ReferenceGraph {
    associatedtype References

    var nodeCount: Int { get }

    /// Checks a node by itself and returns what it refers to.
    func references(of node: Int) throws(ParseFailure) -> References
    func count(_ references: References) -> Int
    /// The node that the `index`-th reference means, which is below ``nodeCount``.
    func target(_ references: References, _ index: Int) throws(ParseFailure) -> Int
    /// Bytes of content that whoever follows a reference to the node gets a copy of. The node was checked. Optional.
    func contentBytes(of node: Int) throws(ParseFailure) -> Int
}

extension ReferenceGraph {
    func contentBytes(of node: Int) -> Int { 0 }
}

/// Makes sure that following references comes to an end: no cycle, a bounded depth, and a bounded number of nodes and bytes
/// when a node counts once for each reference to it. Every node is visited, reachable or not. Without recursion; O(nodes +
/// references).
struct ReferenceCheck<Graph: ReferenceGraph> {
    /// How far a node reaches once its references have been followed.
    private enum Extent {
        case unknown
        /// It is being followed: meeting it again is a cycle.
        case open
        case known(nodes: Int, bytes: Int, depth: Int)
    }

    /// A node whose references are being followed.
    private struct Frame {
        let node: Int
        let references: Graph.References
        var next = 0
    }

    private let graph: Graph
    private let depthMax: Int
    private let expandedMax: Int
    /// Twice the largest value.
    private let expandedBytesMax = 64 << 20
    private var extents: [Extent]
    private var stack: [Frame] = []

    static func run(_ graph: Graph, depthMax: Int, expandedMax: Int) throws(ParseFailure) {
        // A hostile table may name one object any number of times, and each entry takes memory here. A writer names
        // each object once, and only objects that something refers to.
        guard graph.nodeCount <= expandedMax else { throw ParseFailure("there are too many objects") }
        var check = ReferenceCheck(graph, depthMax, expandedMax)
        try check.run()
    }

    private init(_ graph: Graph, _ depthMax: Int, _ expandedMax: Int) {
        self.graph = graph
        self.depthMax = depthMax
        self.expandedMax = expandedMax
        extents = [Extent](repeating: .unknown, count: graph.nodeCount)
    }

    /// Depth first from every node, with a stack of its own.
    private mutating func run() throws(ParseFailure) {
        for root in 0..<graph.nodeCount {
            guard case .unknown = extents[root] else { continue }
            try open(root)
            while let frame = stack.last {
                if frame.next == graph.count(frame.references) {
                    extents[frame.node] = try extent(frame.node, frame.references)
                    stack.removeLast()
                    continue
                }
                stack[stack.count - 1].next += 1
                let target = try graph.target(frame.references, frame.next)
                switch extents[target] {
                case .unknown: try open(target)
                case .open: throw ParseFailure("objects contain each other")
                case .known: break
                }
            }
        }
    }

    private mutating func open(_ node: Int) throws(ParseFailure) {
        guard stack.count < depthMax else { throw ParseFailure("objects are nested too deeply") }
        stack.append(Frame(node: node, references: try graph.references(of: node)))
        extents[node] = .open
    }

    /// All references are known by now.
    private func extent(_ node: Int, _ references: Graph.References) throws(ParseFailure) -> Extent {
        var nodes = 1
        var bytes = try graph.contentBytes(of: node)
        var depth = 1
        for index in 0..<graph.count(references) {
            let target = try graph.target(references, index)
            guard case .known(let inner, let size, let height) = extents[target] else { continue }
            nodes += inner
            bytes += size
            depth = max(depth, height + 1)
            guard nodes <= expandedMax, bytes <= expandedBytesMax else {
                throw ParseFailure("objects expand to too much")
            }
        }
        guard depth <= depthMax else { throw ParseFailure("objects are nested too deeply") }
        return .known(nodes: nodes, bytes: bytes, depth: depth)
    }
}
