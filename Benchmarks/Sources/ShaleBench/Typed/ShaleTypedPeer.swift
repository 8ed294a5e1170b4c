import Shale

/// Shale's store: the public interface that an app uses.
final class ShaleTypedPeer: TypedPeer {
    private let path: String
    private var store: Store?
    private var namespace: Namespace?

    static let summary = "typed job: Store with default options, its own setters and getters"

    init(path: String) { self.path = path }

    private var opened: Namespace {
        get throws {
            guard let namespace else { throw BenchError("shale is closed") }
            return namespace
        }
    }

    func open() throws {
        let store = try Store(at: path)
        (self.store, namespace) = (store, store.common["settings"])
    }

    func close() throws {
        try store?.close()
        (store, namespace) = (nil, nil)
    }

    func flush() throws { try store?.engine.flush() }

    var isBusy: Bool { (store?.engine.statistics.immutableMemtables ?? 0) > 0 }

    var memoryBudgetBytes: Int? { store?.options.engine.memoryBudget }

    func set(_ value: TypedValue, forKey key: String) throws {
        let namespace = try opened
        switch value {
        case .int(let value): try namespace.set(value, forKey: key)
        case .bool(let value): try namespace.set(value, forKey: key)
        case .double(let value): try namespace.set(value, forKey: key)
        case .text(let value): try namespace.set(value, forKey: key)
        }
    }

    func value(forKey key: String, as kind: TypedValue.Kind) throws -> TypedValue? {
        let namespace = try opened
        return switch kind {
        case .int: try namespace.value(forKey: key, as: Int.self).map { .int($0) }
        case .bool: try namespace.value(forKey: key, as: Bool.self).map { .bool($0) }
        case .double: try namespace.value(forKey: key, as: Double.self).map { .double($0) }
        case .text: try namespace.value(forKey: key, as: String.self).map { .text($0) }
        }
    }
}
