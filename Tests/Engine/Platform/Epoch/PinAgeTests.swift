import ShalePlatform
import TestSupport
import Testing

/// The age of the oldest pin, without a time recorded in any pin.
@Suite struct PinAgeTests {
    @Test func noPinHasNoAge() {
        let domain = EpochDomain()
        #expect(domain.observePins(at: 5) == 0)
        domain.withPin { _ in }
        #expect(domain.observePins(at: 50) == 0)
    }

    @Test func aPinIsAsOldAsTheFirstLookAtIt() throws {
        let domain = EpochDomain()
        let reader = try PinnedThread(in: domain)
        #expect(domain.observePins(at: 100) == 0)
        #expect(domain.observePins(at: 130) == 30)
        // Other pins begin and end meanwhile.
        domain.withPin { _ in #expect(domain.observePins(at: 190) == 90) }
        reader.letGo()
        reader.join()
        #expect(domain.observePins(at: 200) == 0)
    }

    @Test func manyShortPinsAreNotOneLongOne() throws {
        let domain = EpochDomain()
        for step in 1...100 {
            // One pin exists at each observation, and nothing is retired in between.
            let slot = domain.pin()
            #expect(domain.observePins(at: UInt64(step) * 1000) == 0)
            domain.unpin(slot)
        }
        let first = try PinnedThread(in: domain)
        _ = domain.observePins(at: 200_000)
        let second = try PinnedThread(in: domain)
        first.letGo()
        first.join()
        #expect(domain.observePins(at: 201_000) == 0, "the second pin began after the first look")
        #expect(domain.observePins(at: 202_000) == 1000)
        second.letGo()
        second.join()
    }

    @Test func retiredObjectsAreCountedInBytes() {
        let domain = EpochDomain()
        let slot = domain.pin()
        domain.retire(Tracked {}, bytes: 1000)
        domain.retire(Tracked {}, bytes: 24, isUrgent: false)
        #expect(domain.retiredBytes == 1024)
        domain.unpin(slot)
        domain.collect()
        #expect(domain.retiredBytes == 0)
    }
}
