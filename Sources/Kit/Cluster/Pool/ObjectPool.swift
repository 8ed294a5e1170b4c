import ShaleBase

/// A pool of objects, with the operations of RADOS that a namespace needs. The seam of this module: a cluster
/// implements it, and the tests replace it.
///
/// Each operation concerns one object and is atomic: it happens as a whole or not at all, and all operations on an
/// object have one order. A write that has returned is on all replicas that are up.
package protocol ObjectPool: Sendable {
    /// Changes an object.
    nonisolated(nonsending) func write(_ object: ObjectName, _ change: ObjectChange) async throws(PoolFailure)

    /// Reads an object at one moment.
    nonisolated(nonsending) func read(
        _ object: ObjectName, _ query: ObjectQuery
    ) async throws(PoolFailure) -> ObjectContents

    /// Makes a snapshot of nothing yet, for the objects of a namespace: see ``ObjectChange/snapshot``. Returns its id,
    /// which is larger than all before.
    nonisolated(nonsending) func makeSnapshot(in namespace: String) async throws(PoolFailure) -> UInt64

    /// Removes a snapshot with everything in it. Does nothing if it was removed.
    nonisolated(nonsending) func removeSnapshot(_ id: UInt64, in namespace: String) async throws(PoolFailure)

    /// Returns the monitors' report on the cluster's health, as JSON.
    nonisolated(nonsending) func health() async throws(PoolFailure) -> [UInt8]

    /// Returns what the pool holds.
    nonisolated(nonsending) func usage() async throws(PoolFailure) -> ClusterUsage

    /// Calls `report` with what happens to a watch of an object from now on. Not more than one call at a time.
    nonisolated(nonsending) func watch(
        _ object: ObjectName, _ report: @escaping @Sendable (WatchEvent) -> Void
    ) async throws(PoolFailure) -> any PoolWatch

    /// Notifies all watches of an object, and waits until they have been called, at most for 5 s.
    nonisolated(nonsending) func notify(_ object: ObjectName, _ bytes: [UInt8]) async throws(PoolFailure)

    /// Waits until no operation is in flight and ends the connection. Later operations fail as `.closed`.
    nonisolated(nonsending) func close() async
}

/// An event of a watch.
package enum WatchEvent: Sendable, Equatable {
    case notified([UInt8])
    /// Notifications may have been missed.
    case interrupted
    /// The connection was closed.
    case ended
}

/// A watch of an object. Thread-safe.
package protocol PoolWatch: Sendable {
    /// Ends the watch. May be called more than once.
    func end()
}

/// The name of an object, in a namespace of the pool.
package struct ObjectName: Hashable, Sendable {
    package let namespace: String
    package let name: String

    package init(namespace: String, name: String) {
        self.namespace = namespace
        self.name = name
    }
}

/// A change of one object: steps that happen together, in order. The first step that fails makes the change fail.
package struct ObjectChange: Sendable {
    package enum Step: Sendable {
        /// Fails as `.missing` if there is no object.
        case requireObject
        /// Makes the object. Fails as `.exists` if there is one.
        case create
        /// Fails as `.differs` unless the object's attribute has this value.
        case requireAttribute([UInt8])
        case setAttribute([UInt8])
        /// Fails as `.differs` unless the entry has this value; empty stands for a missing entry.
        case requireEntry(name: [UInt8], value: [UInt8])
        case setEntries(ObjectEntries)
        case removeEntries([[UInt8]])
        /// Replaces the object's data.
        case setData([UInt8])
        /// Cuts the object's data, or adds zeros that take no space.
        case setSize(UInt64)
        /// Removes the object with everything in it.
        case removeObject
    }

    package var steps: [Step]
    /// The snapshot that gets the object as it was before the change, unless it or a later one has it already.
    package var snapshot: UInt64?
    /// True if a cluster without space is to try the change: it then fails as `.full` if it adds data, or happens. A
    /// cluster does not notice that entries add bytes, so changes that add entries wait for space instead, up to the
    /// timeout.
    package var isTriedWithoutSpace: Bool

    /// True if a cluster without space is to do the change although it adds data: zeros, which take no space.
    package var isForcedWithoutSpace: Bool {
        snapshot == nil && steps.contains { if case .setSize = $0 { true } else { false } }
    }

    package init(_ steps: [Step], snapshot: UInt64? = nil, isTriedWithoutSpace: Bool? = nil) {
        self.steps = steps
        self.snapshot = snapshot
        self.isTriedWithoutSpace =
            isTriedWithoutSpace
            ?? !steps.contains { if case .setEntries = $0 { true } else { false } }
    }
}

/// The parts of an object to read.
package struct ObjectQuery: Sendable {
    /// A run of entries in order: those whose names start with `prefix` and follow `after`, at most `limit`. `prefix`
    /// and `after` have no byte 0.
    package struct Page: Sendable {
        package let prefix: [UInt8]
        package let after: [UInt8]
        package let limit: Int
    }

    package var attribute = false
    /// True to get the size of the object's data.
    package var size = false
    /// The value that the object's attribute must have, or the read fails as `.differs`; `nil` compares nothing.
    package var requiredAttribute: [UInt8]?
    /// The names of entries to find.
    package var names: [[UInt8]] = []
    package var page: Page?
    /// The number of bytes of data to read from the start; `nil` reads none.
    package var dataBytes: Int?
    /// The reads with which the query may be sent together: then it asks for one name and the size, and for nothing
    /// else.
    package var shared: SharedReads?
    /// The snapshot to read; `nil` reads the present. Fails as `.missing` if the snapshot has no such object.
    package var snapshot: UInt64?

    package init() {}
}

/// The parts of an object that were read.
package struct ObjectContents: Sendable {
    /// `nil` if the object has no attribute.
    package var attribute: [UInt8]?
    /// The size of the object's data; `nil` if it was not asked for.
    package var size: UInt64?
    /// The entries of the names, in the order of their names, without those that are missing. If the query was sent
    /// together with others, theirs too.
    package var found = ObjectEntries()
    package var page = ObjectEntries()
    /// True if entries follow the page.
    package var hasMore = false
    package var data: [UInt8] = []

    package init() {}
}

/// The reason why an operation on an object failed.
package struct PoolFailure: Error, Sendable {
    package enum Kind: Sendable, Equatable {
        /// The object does not exist.
        case missing
        /// The object exists already.
        case exists
        /// A comparison failed; nothing was changed.
        case differs
        /// No answer in time. A write may have happened, or may happen yet.
        case timedOut
        case cancelled
        /// The cluster or the pool has no space, or reached its quota.
        case full
        /// The client's key does not permit the operation.
        case forbidden
        /// The connection was closed before the operation began.
        case closed
        /// Any other error number of the system.
        case other(Int32)
    }

    package let kind: Kind

    package init(_ kind: Kind) { self.kind = kind }
}

extension PoolFailure {
    /// Returns the error of a read for the caller.
    var readError: StorageError {
        switch kind {
        case .timedOut: StorageError(.unavailable, "the cluster did not answer in time")
        case .forbidden: StorageError(.locked, "the cluster does not permit this client to read")
        default: otherError
        }
    }

    /// Returns the error of a write for the caller.
    var writeError: StorageError {
        switch kind {
        case .timedOut:
            StorageError(.indeterminate, "the cluster did not answer in time; the write may have happened")
        case .forbidden: StorageError(.readOnly, "the cluster does not permit this client to write")
        default: otherError
        }
    }

    private var otherError: StorageError {
        switch kind {
        case .missing: StorageError(.namespaceDropped, "an object of the namespace does not exist")
        case .exists, .differs: StorageError(.conflict, "another client changed the object")
        case .timedOut: StorageError(.unavailable, "the cluster did not answer in time")
        case .cancelled: StorageError(.cancelled, "the task was cancelled")
        case .full: StorageError(.noSpace, "the cluster has no space for the write")
        case .forbidden: StorageError(.locked, "the cluster does not permit the operation")
        case .closed: StorageError(.closed, "the connection to the cluster was closed")
        case .other(let number):
            StorageError(
                .ioFailure, "the cluster refused an operation errno=\(number)",
                cause: IOFailure("rados", "", number))
        }
    }
}
