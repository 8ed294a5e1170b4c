package import ShaleBase
import ShalePlatform

extension Engine {
    /// Subscribes to the changes of some namespaces from now on. Each change is delivered after it has become visible,
    /// in the order of sequences. See ShaleEngine.docc, "How changes are observed".
    package func subscribe(
        to filter: ChangeFilter, capacity: Int
    ) throws(StorageError) -> ChangeSubscription {
        try core.changeHub.subscribe(filter, capacity: capacity)
    }
}
