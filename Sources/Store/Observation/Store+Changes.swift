public import ShaleBase

extension Store {
    /// Observes all namespaces of all users and the common ones, including those created later.
    public func changes(capacity: Int = 1024, since: SequenceNumber? = nil) throws(StorageError) -> StoreChanges {
        try StoreChanges(core, ChangeFilter(.prefixed(NamespaceName.spaces)), capacity, since: since)
    }
}
