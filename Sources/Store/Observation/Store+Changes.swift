public import ShaleBase

extension Store {
    /// The changes of all namespaces of all users and the common ones, also of those that are made later.
    public func changes(capacity: Int = 1024, since: SequenceNumber? = nil) throws(StorageError) -> StoreChanges {
        try StoreChanges(core, ChangeFilter(.prefixed(NamespaceName.spaces)), capacity, since: since)
    }
}
