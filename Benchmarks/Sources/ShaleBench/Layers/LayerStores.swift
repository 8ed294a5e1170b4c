import Shale

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Several Shale stores in one directory, for measuring the layers between the interface and the engine.
final class LayerStores: PeerStore {
    static let summary =
        "what the layers cost: Store and its engine with default options, in turn in one process"

    private let path: String
    private var stores: [Store] = []

    init(path: String) { self.path = path }

    func open() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    func close() throws {
        for store in stores { try store.close() }
        stores = []
    }

    func flush() throws { for store in stores { try store.engine.flush() } }

    var isBusy: Bool { stores.contains { $0.engine.statistics.immutableMemtables > 0 } }

    func directory(_ name: String) -> String { path + "/" + name }

    /// Opens the store `name`, which is closed with the others.
    func store(_ name: String, _ options: StoreOptions = StoreOptions()) throws -> Store {
        let store = try Store(at: directory(name), options: options)
        stores.append(store)
        return store
    }
}
