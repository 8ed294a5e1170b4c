import ShaleBase
import ShaleMemtable
import ShalePlatform
import Synchronization

/// Publishing changes to subscribers, under `lock` and after the change has become visible.
///
/// `interest` has one bit for each observed namespace; several ids share a bit. Without subscriptions, checking
/// `interest` is all that a commit does for them.
extension Committer {
    /// True if changes of `namespace` may have subscribers.
    @inline(__always)
    func isObserved(_ namespace: NamespaceID, _ interest: UInt64) -> Bool {
        interest &>> UInt64(namespace.rawValue & 63) & 1 != 0
    }

    /// Publishes the change of one key. Returns true if the caller has to wake the subscribers' thread.
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

    /// Returns true if the subscribers' thread has to be woken after the lock is released, and clears that state.
    func takeNews() -> Bool {
        defer { hasNews = false }
        return hasNews
    }
}
