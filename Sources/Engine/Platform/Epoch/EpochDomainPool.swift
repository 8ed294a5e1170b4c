import Synchronization

/// The epoch domains of the process's engines.
///
/// Each open engine has its own domain if possible. A thread that stalls while it reads one store then delays the
/// memory that this store retires, and no other store's.
///
/// A domain costs a thread-specific key, of which a process has few (128 with musl, 512 on Darwin, 1024 with glibc).
/// The pool therefore makes at most ``limit`` domains. Further engines share the domains that have the fewest users. A
/// closed engine returns its domain to the pool, which reuses it once no thread is pinned in it. Domains are never
/// freed.
package final class EpochDomainPool: Sendable {
    package static let shared = EpochDomainPool(limit: sharedLimit)

    /// Half of the keys of glibc; elsewhere other libraries of the process need most of the few keys.
    #if canImport(Glibc)
        private static let sharedLimit = 512
    #else
        private static let sharedLimit = 64
    #endif

    private struct Member {
        let domain: EpochDomain
        var users = 0
    }

    private let limit: Int
    private let members = Locked<[Member]>([])

    package init(limit: Int) { self.limit = limit }

    /// Returns a domain that no other engine uses, if one is free or can be made; otherwise the one with the fewest
    /// users.
    package func take() -> EpochDomain {
        collectIdle()
        return members.withLock { members in
            let free = members.firstIndex { $0.users == 0 && !$0.domain.isPinned }
            if free == nil, members.count < limit, let domain = EpochDomain.ifPossible() {
                members.append(Member(domain: domain, users: 1))
                return domain
            }
            guard let index = free ?? members.indices.min(by: { members[$0].users < members[$1].users }) else {
                // The pool could not make a single domain. The process-wide one may date from before the keys were used
                // up.
                return .shared
            }
            if members[index].users == 0 { members[index].domain.endWatch() }
            members[index].users += 1
            return members[index].domain
        }
    }

    package func release(_ domain: EpochDomain) {
        members.withLock { members in
            guard let index = members.firstIndex(where: { $0.domain === domain }) else { return }
            members[index].users -= 1
        }
        collectIdle()
    }

    /// Releases what pins kept when their engine was closed: a domain without an engine has no timer that collects.
    private func collectIdle() {
        let idle = members.withLock { members in members.filter { $0.users == 0 }.map(\.domain) }
        for domain in idle where domain.retiredCount > 0 { domain.collect() }
    }

    /// Waits up to 60 s per domain until objects of closed engines are released, for tests that count what is left.
    package func quiesceIdle() {
        let idle = members.withLock { members in members.filter { $0.users == 0 }.map(\.domain) }
        for domain in idle { _ = domain.quiesce(within: 60_000_000_000) }
    }

    /// The number of domains made so far.
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

    /// True if the pool may lend the domain to another engine.
    package var isOver: Bool { hasEnded.load(ordering: .relaxed) }

    package func end() {
        if !hasEnded.exchange(true, ordering: .relaxed) { pool.release(domain) }
    }
}

/// An unretained reference to an ``EpochDomain``, for hot code: retain and release would make all threads write one
/// cache line.
///
/// The holder of a value keeps the domain alive by other means.
@safe
@usableFromInline
package struct BorrowedDomain: @unchecked Sendable {
    @usableFromInline let domain: Unmanaged<EpochDomain>

    package init(_ domain: EpochDomain) { unsafe self.domain = .passUnretained(domain) }

    /// See ``EpochDomain/pin()``.
    @inlinable @inline(__always)
    package func pin() -> EpochSlot { unsafe domain._withUnsafeGuaranteedRef { $0.pin() } }

    /// See ``EpochDomain/unpin(_:)``.
    @inlinable @inline(__always)
    package func unpin(_ slot: EpochSlot) { unsafe domain._withUnsafeGuaranteedRef { $0.unpin(slot) } }

    /// See ``EpochDomain/threadNumber``.
    @inlinable @inline(__always)
    package var threadNumber: Int { unsafe domain._withUnsafeGuaranteedRef { $0.threadNumber } }
}
