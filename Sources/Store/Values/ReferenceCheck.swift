import ShaleBase

/// A graph of numbered nodes that refer to each other, read from untrusted bytes.
protocol ReferenceGraph {
    associatedtype References

    var nodeCount: Int { get }

    /// Checks a node by itself and returns its references.
    func references(of node: Int) throws(ParseFailure) -> References
    func count(_ references: References) -> Int
    /// Returns the node of the `index`-th reference, which is below ``nodeCount``.
    func target(_ references: References, _ index: Int) throws(ParseFailure) -> Int
    /// Returns the bytes of content that are copied for each reference to the node. The node has been checked. Default
    /// 0.
    func contentBytes(of node: Int) throws(ParseFailure) -> Int
}

extension ReferenceGraph {
    func contentBytes(of node: Int) -> Int { 0 }
}

/// Checks that following references terminates: no cycle, a bounded depth, and a bounded number of nodes and bytes if a
/// node counts once for each reference to it. Visits every node, reachable or not, without recursion. O(nodes +
/// references).
struct ReferenceCheck<Graph: ReferenceGraph> {
    /// The size of a node after all its references have been followed.
    private enum Extent {
        case unknown
        /// The node is being followed. Meeting it again is a cycle.
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
    /// The maximum of content bytes: twice the size of the largest value.
    private let expandedBytesMax = 64 << 20
    private var extents: [Extent]
    private var stack: [Frame] = []

    static func run(_ graph: Graph, depthMax: Int, expandedMax: Int) throws(ParseFailure) {
        // A hostile table may name one object any number of times, and each entry takes memory here. A writer names
        // each object once, and only objects that are referred to.
        guard graph.nodeCount <= expandedMax else { throw ParseFailure("there are more than \(expandedMax) objects") }
        var check = ReferenceCheck(graph, depthMax, expandedMax)
        try check.run()
    }

    private init(_ graph: Graph, _ depthMax: Int, _ expandedMax: Int) {
        self.graph = graph
        self.depthMax = depthMax
        self.expandedMax = expandedMax
        extents = [Extent](repeating: .unknown, count: graph.nodeCount)
    }

    /// Visits every node depth first, with an explicit stack.
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
        guard stack.count < depthMax else { throw ParseFailure("objects are nested deeper than \(depthMax) levels") }
        stack.append(Frame(node: node, references: try graph.references(of: node)))
        extents[node] = .open
    }

    /// Returns the size of a node. The sizes of all its references are known.
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
            guard nodes <= expandedMax else { throw ParseFailure("objects expand to more than \(expandedMax) objects") }
            guard bytes <= expandedBytesMax else {
                throw ParseFailure("objects expand to more than \(expandedBytesMax) bytes")
            }
        }
        guard depth <= depthMax else { throw ParseFailure("objects are nested deeper than \(depthMax) levels") }
        return .known(nodes: nodes, bytes: bytes, depth: depth)
    }
}
