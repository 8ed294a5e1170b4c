import ShaleBase

/// The records of namespaces: ``NamespaceRecord``.
extension ClusterCore {
    /// Returns the record of a namespace and its bytes; `nil` if there is no such namespace.
    nonisolated(nonsending) func record(
        _ object: ObjectName
    ) async throws(StorageError) -> (record: NamespaceRecord, bytes: [UInt8])? {
        var query = ObjectQuery()
        query.attribute = true
        let contents: ObjectContents
        do throws(PoolFailure) {
            contents = try await read(object, query)
        } catch {
            guard error.kind == .missing else { throw error.readError }
            return nil
        }
        guard let bytes = contents.attribute else { throw .corruption("a namespace has no record") }
        return (try NamespaceRecord(bytes), bytes)
    }

    /// Replaces a record that still has these bytes. Returns false if another client changed it.
    nonisolated(nonsending) func replace(
        _ object: ObjectName, _ old: [UInt8], _ new: [UInt8]
    ) async throws(StorageError) -> Bool {
        do throws(PoolFailure) {
            try await write(object, ObjectChange([.requireObject, .requireAttribute(old), .setAttribute(new)]))
            return true
        } catch {
            guard error.kind == .differs || error.kind == .missing else { throw error.writeError }
            return false
        }
    }
}
