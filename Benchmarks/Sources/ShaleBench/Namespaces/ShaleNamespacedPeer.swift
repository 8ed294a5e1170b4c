import ShaleEngine

/// The namespaces of Shale's engine.
final class ShaleNamespacedPeer: NamespacedPeer {
    private let path: String
    private let options: EngineOptions
    private var engine: Engine?
    private var namespaces: [NamespaceID] = []

    init(path: String, settings: PeerSettings) {
        self.path = path
        options = ShalePeer.options(settings)
    }

    private var opened: Engine {
        get throws {
            guard let engine else { throw BenchError("shale is closed") }
            return engine
        }
    }

    var memoryBudgetBytes: Int? { options.memoryBudget }

    func open() throws { engine = try Engine.open(at: path, options: options) }

    func close() throws {
        try engine?.close()
        engine = nil
    }

    func flush() throws { try opened.flush() }

    func create(_ count: Int) throws {
        let engine = try opened
        namespaces = try (0..<count).map { try engine.createNamespace(named: Array("namespace \($0)".utf8)) }
    }

    func put(_ value: RawSpan, forKey key: RawSpan, in namespace: Int) throws {
        try opened.put(value, forKey: key, in: namespaces[namespace])
    }

    func get(_ key: RawSpan, in namespace: Int, _ body: (RawSpan) -> Void) throws -> Bool {
        try opened.withValue(forKey: key, in: namespaces[namespace]) { value in body(value) } != nil
    }
}
