import Synchronization

/// The epoch domains of the process's engines. An open engine has one of its own, so that a thread that is held up while it
/// reads one store keeps back what that store retires and nothing of another store.
///
/// A domain costs a thread-specific key, of which a process has few (128 with musl, 512 on Darwin, 1024 with glibc). So the pool
/// makes at most ``limit`` of them; the engines that are open beyond that share those that have the fewest users. A domain
/// returns to the pool when its engine is closed, and is used again once no thread is pinned in it. Domains are never freed.
package final class EpochDomainPool: Sendable {
    package static let shared = EpochDomainPool(limit: 64)

    private struct Member {
        let domain: EpochDomain
        var users = 0
    }

    private let limit: Int
    private let members = Guarded<[Member]>([])

    package init(limit: Int) { self.limit = limit }

    /// Returns a domain that no other engine uses, if there is one or one can be made.
    package func take() -> EpochDomain {
        collectIdle()
        return members.withLock { members in
            let free = members.firstIndex { $0.users == 0 && !$0.domain.isPinned }
            if free == nil, members.count < limit, let domain = EpochDomain.ifPossible() {
                members.append(Member(domain: domain, users: 1))
                return domain
            }
            guard let index = free ?? members.indices.min(by: { members[$0].users < members[$1].users }) else {
                // Not one key for the engine: the domain of the process may have been made before they were used up.
                return .shared
            }
            if members[index].users == 0 { members[index].domain.endWatch() }
            members[index].users += 1
            return members[index].domain
        }
    }

    package func giveBack(_ domain: EpochDomain) {
        members.withLock { members in
            guard let index = members.firstIndex(where: { $0.domain === domain }) else { return }
            members[index].users -= 1
        }
        collectIdle()
    }

    /// Releases what pins kept when their engine was closed: a domain without an engine has no timer that would do it.
    private func collectIdle() {
        let idle = members.withLock { members in members.filter { $0.users == 0 }.map(\.domain) }
        for domain in idle where domain.retiredCount > 0 { domain.collect() }
    }

    /// Waits until what engines that are gone have retired is released: for tests that count what is left of them.
    package func quiesceIdle() {
        let idle = members.withLock { members in members.filter { $0.users == 0 }.map(\.domain) }
        for domain in idle { _ = domain.quiesce(within: 60_000_000_000) }
    }

    /// Domains made so far.
    package var count: Int { members.withLock { $0.count } }
}

/// An engine's use of a domain, which ends with ``end()`` or with the last reference. The domain itself stays usable.
package final class EpochLease: Sendable {
    package let domain: EpochDomain
    private let pool: EpochDomainPool
    private let hasEnded = Atomic<Bool>(false)

    package init(_ pool: EpochDomainPool = .shared) {
        self.pool = pool
        domain = pool.take()
    }

    deinit { end() }

    /// Whether the domain may be lent to another engine.
    package var isOver: Bool { hasEnded.load(ordering: .relaxed) }

    package func end() {
        if !hasEnded.exchange(true, ordering: .relaxed) { pool.giveBack(domain) }
    }
}
