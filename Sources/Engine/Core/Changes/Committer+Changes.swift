import ShaleBase
import ShaleMemtable
import ShalePlatform
import Synchronization

/// Telling subscribers. Under `lock`, after the change has become visible. `interest` has a bit for each namespace, or for
/// several, that somebody observes: while nobody does, looking at it is all that a commit does for this.
extension Committer {
    /// Whether changes of `namespace` are to be told.
    @inline(__always)
    func isObserved(_ namespace: NamespaceID, _ interest: UInt64) -> Bool {
        interest &>> UInt64(namespace.rawValue & 63) & 1 != 0
    }

    /// True when the subscribers' thread is to be woken.
    @inline(never)
    func tell(
        _ namespace: NamespaceID, _ key: Bytes, _ kind: EntryKind, _ sequence: SequenceNumber, _ interest: UInt64
    ) -> Bool {
        guard isObserved(namespace, interest) else { return false }
        changes.append(kind.isDelete ? .removed : .set, sequence, namespace, key)
        return changes.publish()
    }

    @inline(never)
    func tell(_ batch: Bytes, _ base: SequenceNumber, _ interest: UInt64) {
        var sequence = base
        for operation in BatchOperations(validated: batch) {
            if isObserved(operation.namespace, interest) {
                changes.append(
                    operation.kind.isDelete ? .removed : .set, sequence, operation.namespace, operation.userKey)
            }
            sequence += 1
        }
        if changes.publish() { hasNews = true }
    }

    func tell(_ kind: ObservedChange.Kind, _ namespaces: [NamespaceID], _ sequence: SequenceNumber) {
        let interest = interest.load(ordering: .relaxed)
        guard interest != 0 else { return }
        for namespace in namespaces where isObserved(namespace, interest) {
            changes.append(kind, sequence, namespace, .empty)
        }
        if changes.publish() { hasNews = true }
    }

    /// Whether the subscribers' thread is to be woken when the lock is free.
    func takeNews() -> Bool {
        defer { hasNews = false }
        return hasNews
    }
}
