import ShaleBase
import ShaleManifest
import ShalePlatform
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The states that a read-only opener holds, as positions on the file LOCK. ShaleEngine.docc, "Readers in other
/// processes". Thread-safe.
final class StateHolds: Sendable {
    private let file: any FileHolds
    /// The number of holders in this process, by position.
    private let counts = Locked<[UInt64: Int]>([:])

    private init(_ file: any FileHolds) { self.file = file }

    /// Holds everything that is not deleted yet, while the opener looks for a state. Returns `nil` if nothing can be
    /// held: no owner has opened the store yet, which makes LOCK, or the system has no such locks.
    static func begin(in root: any Directory) throws(StorageError) -> (holds: StateHolds, search: StateHold)? {
        do throws(IOFailure) {
            let holds = StateHolds(try root.openHolds(StoreLayout.lock))
            return (holds, try holds.take(HoldPosition.everything))
        } catch {
            guard error.isMissing || error.isWrongKind || StateHolds.isUnsupported(error) else {
                throw error.storageError
            }
            return nil
        }
    }

    /// True if the system, the file system or the kind of file has no such locks.
    private static func isUnsupported(_ error: IOFailure) -> Bool {
        [ENOTSUP, EOPNOTSUPP, ENOSYS, ENOLCK, EINVAL].contains(error.errorNumber)
    }

    /// False if the name LOCK leads to another file, which an owner locks, or to none.
    var isInPlace: Bool {
        get throws(StorageError) {
            do throws(IOFailure) {
                try file.verify()
                return true
            } catch {
                guard error.isLostLock else { throw error.storageError }
                return false
            }
        }
    }

    /// Holds everything that is not deleted yet.
    func holdEverything() throws(StorageError) -> StateHold {
        do { return try take(HoldPosition.everything) } catch { throw error.storageError }
    }

    /// Holds the files of a state. The caller holds everything meanwhile.
    func hold(_ state: StoreState) throws(StorageError) -> StateHold {
        do { return try take(HoldPosition.state(state.nextFileNumber)) } catch { throw error.storageError }
    }

    /// Holds log `number` and all later ones.
    func holdLogs(from number: UInt64) throws(StorageError) -> StateHold {
        do { return try take(HoldPosition.logs(from: number)) } catch { throw error.storageError }
    }

    private func take(_ position: UInt64) throws(IOFailure) -> StateHold {
        try counts.withLock { (counts) throws(IOFailure) in
            if counts[position] == nil { try file.hold(position) }
            counts[position, default: 0] += 1
        }
        return StateHold(self, position)
    }

    fileprivate func release(_ position: UInt64) {
        counts.withLock { counts in
            let left = (counts[position] ?? 1) - 1
            counts[position] = left == 0 ? nil : left
            if left == 0 { file.release(position) }
        }
    }
}

/// A held state. Ends with ``end()`` or with the last reference.
final class StateHold: Sendable {
    private let holds: StateHolds
    private let position: UInt64
    private let hasEnded = Atomic(false)

    fileprivate init(_ holds: StateHolds, _ position: UInt64) {
        self.holds = holds
        self.position = position
    }

    deinit { end() }

    func end() { if !hasEnded.exchange(true, ordering: .relaxed) { holds.release(position) } }
}
