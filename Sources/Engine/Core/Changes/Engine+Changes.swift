package import ShaleBase
import ShalePlatform

extension Engine {
    /// The changes of some namespaces from now on, each after it has become visible, in the order of sequences. See
    /// DESIGN.md, "Observation".
    package func subscribe(
        to filter: ChangeFilter, capacity: Int
    ) throws(StorageError) -> ChangeSubscription {
        try core.changeHub.subscribe(filter, capacity: capacity)
    }
}
