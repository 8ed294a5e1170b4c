import ShalePlatform
import TestSupport
import Testing

/// Engines have epoch domains of their own. The pool reuses a domain, but never while a thread is pinned in it.
@Suite struct EpochPoolTests {
    @Test func enginesThatAreOpenTogetherHaveDomainsOfTheirOwn() {
        let pool = EpochDomainPool(limit: 4)
        let leases = (0..<4).map { _ in EpochLease(pool) }
        for (index, lease) in leases.enumerated() {
            for other in leases[..<index] { #expect(lease.domain !== other.domain) }
        }
    }

    @Test func oneThatWasClosedLeavesItsDomainToTheNext() {
        let pool = EpochDomainPool(limit: 4)
        for _ in 0..<5000 {
            let lease = EpochLease(pool)
            lease.domain.withPin { _ in }
            lease.end()
            lease.end()
        }
        #expect(pool.count == 1)
        #expect(pool.take().ownedSlotCount == 1)
    }

    @Test func aDomainWithAPinIsNotLent() throws {
        let pool = EpochDomainPool(limit: 4)
        let first = EpochLease(pool)
        let stuck = try PinnedThread(in: first.domain)
        let freed = Counter()
        first.domain.retire(Tracked { freed.increment() })
        first.end()
        let second = EpochLease(pool)
        #expect(second.domain !== first.domain)
        stuck.letGo()
        stuck.join()
        #expect(freed.value == 0)
        let third = EpochLease(pool)
        #expect(third.domain === first.domain)
        #expect(freed.value == 1, "what it had retired goes when any engine is opened or closed")
    }

    @Test func beyondTheLimitThoseWithTheFewestUsersAreShared() {
        let pool = EpochDomainPool(limit: 2)
        let leases = (0..<6).map { _ in EpochLease(pool) }
        #expect(pool.count == 2)
        for lease in leases { #expect(leases.count { $0.domain === lease.domain } == 3) }
    }

    @Test func threadsThatEndGiveTheirSlotsBackInEveryDomain() throws {
        let pool = EpochDomainPool(limit: 8)
        let leases = (0..<8).map { _ in EpochLease(pool) }
        for _ in 0..<50 {
            let thread = try WorkerThread.start(name: "visitor") {
                for lease in leases { lease.domain.withPin { _ in } }
            }
            thread.join()
        }
        for lease in leases { #expect(lease.domain.ownedSlotCount == 0) }
    }
}
