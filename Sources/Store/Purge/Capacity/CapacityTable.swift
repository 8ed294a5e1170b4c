import ShaleBase
import ShaleEngine
import ShalePlatform
import Synchronization

/// The accounts of the namespaces whose capacity is enforced on writing. Thread-safe.
final class CapacityTable: Sendable {
    private let accounts = Locked<[NamespaceID: CapacityAccount]>([:])
    private let hasAccounts = Atomic(false)

    /// True if no namespace that was used has an enforced capacity.
    var isEmpty: Bool { !hasAccounts.load(ordering: .acquiring) }

    func account(of id: NamespaceID) -> CapacityAccount? { accounts.withLock { $0[id] } }

    /// Adopts the policy of a namespace before its first write, and each later policy.
    func adopt(_ stored: StoredPolicy?, of id: NamespaceID) {
        accounts.withLock { accounts in
            guard let stored, let limits = CapacityLimits(stored.policy) else {
                accounts[id] = nil
                return
            }
            if let account = accounts[id] { return account.update(stored, limits) }
            accounts[id] = CapacityAccount(stored, limits)
            hasAccounts.store(true, ordering: .releasing)
        }
    }

    /// Forgets a namespace that was dropped.
    func forget(_ id: NamespaceID) {
        if !isEmpty { accounts.withLock { $0[id] = nil } }
    }
}

/// The charges of a write to its namespaces.
struct CapacityCharges {
    private var charges: [(account: CapacityAccount, bytes: Int64)] = []

    mutating func add(
        _ bytes: Int64, to account: CapacityAccount,
        _ measure: (CapacityMeasurement) throws(StorageError) -> Int64
    ) throws(StorageError) {
        try account.charge(bytes, measure)
        charges.append((account, bytes))
    }

    /// Ends the charges. `error` is the error of the write, `nil` if it succeeded.
    func end(after error: StorageError?) {
        let isApplied = error == nil || error?.code == .indeterminate
        for charge in charges { charge.account.end(charge.bytes, isApplied: isApplied) }
    }
}

/// Writes that keep to the capacities of their namespaces. The article "How purge policies work" has the reasons.
extension StoreCore {
    /// Charges `bytes` to their namespaces and waits for room. The caller ends the charges after the write.
    func charge(_ bytes: [NamespaceID: Int64]) throws(StorageError) -> CapacityCharges {
        var charges = CapacityCharges()
        do throws(StorageError) {
            for (id, bytes) in bytes.sorted(by: { $0.key < $1.key }) {
                guard bytes > 0, let account = capacities.account(of: id) else { continue }
                try charges.add(bytes, to: account) { (request) throws(StorageError) in try measure(id, request) }
            }
            return charges
        } catch {
            charges.end(after: error)
            throw error
        }
    }

    /// Charges `bytes`, calls `write`, and ends the charges.
    func withinCapacity<R>(
        _ bytes: [NamespaceID: Int64], _ write: () throws(StorageError) -> R
    ) throws(StorageError) -> R {
        let charges = try charge(bytes)
        do throws(StorageError) {
            let result = try write()
            charges.end(after: nil)
            return result
        } catch {
            charges.end(after: error)
            throw error
        }
    }

    /// Returns the bytes of the purgeable entries of a namespace, after the removal of entries if they took too many.
    private func measure(_ id: NamespaceID, _ request: CapacityMeasurement) throws(StorageError) -> Int64 {
        if request.isFirst {
            // The statistics count at least what a reader sees, except values in value files.
            let bytes = Int64(
                clamping: try engine.statistics(of: id).purgeableRawBytes + (try engine.valueFileBytesMax))
            if bytes <= request.limits.maximumBytes - request.pendingBytes { return bytes }
        }
        var run = PolicyRun(core: self, id: id, stored: request.stored, isDry: false) { _ in }
        // Reads may move entries to the end of the order between its two walks. Times of writing don't move.
        if request.attempt >= 2 { run.order = .oldestFirst }
        let outcome = try run.makeRoom(request)
        if let error = outcome.damage.errors.first { purgeEvents.send(.failed(error)) }
        if outcome.entries > 0 {
            purgeEvents.send(
                .applied(
                    PurgeReport(
                        entries: outcome.entries, logicalBytes: UInt64(outcome.bytes), returnedBytes: 0,
                        isEstimate: false, damage: outcome.damage)))
        }
        return outcome.keptBytes
    }

    /// Commits a transaction of the engine.
    func commit(_ transaction: Engine.Transaction, _ durability: Durability?) throws(StorageError) {
        guard !capacities.isEmpty else { return try transaction.commit(durability: durability) }
        try withinCapacity(transaction.purgeableBytes) { () throws(StorageError) in
            try transaction.commit(durability: durability)
        }
    }

    /// Runs a transaction of the engine, as ``Engine/transaction(attempts:durability:_:)`` does, within the capacities
    /// of its namespaces.
    func transaction<R, Failure: Error>(
        _ attempts: Int, _ durability: Durability?, _ body: (Engine.Transaction) throws(Failure) -> R,
        _ failure: (StorageError) -> Failure
    ) throws(Failure) -> R {
        try engine.transaction(attempts, durability, body, failure) {
            (transaction, durability) throws(StorageError) in try commit(transaction, durability)
        }
    }
}
