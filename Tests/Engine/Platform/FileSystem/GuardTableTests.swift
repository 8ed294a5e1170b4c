#if canImport(Glibc)
    import Testing

    @testable import ShalePlatform

    /// The table never attributes a failed store to a wrong range, even while other ranges take over
    /// slots.
    @Suite struct GuardTableTests {
        @Test func aRangeHoldsItsAddressesOnly() {
            let table = GuardTable(capacity: 2)
            table.set(0, start: 100, count: 10)
            #expect(table.holds(100, in: 0) && table.holds(109, in: 0))
            #expect(!table.holds(99, in: 0) && !table.holds(110, in: 0) && !table.holds(100, in: 1))
            #expect(!table.isFree(0) && table.isFree(1))
            table.set(0, start: 0, count: 0)
            #expect(!table.holds(100, in: 0) && table.isFree(0))
        }

        /// The address is in neither range, but in the combination of one range's start and the other range's size.
        @Test func aSlotThatChangesHandsMeanwhileHoldsNothing() {
            let table = GuardTable(capacity: 1)
            table.set(0, start: 100, count: 10)
            let isHeld = table.holds(500, in: 0) {
                table.set(0, start: 0, count: 0)
                table.set(0, start: 10_000, count: 1000)
            }
            #expect(!isHeld)
            #expect(!table.holds(10_500, in: 0) { table.set(0, start: 0, count: 0) })
        }

        /// The same if the first range comes back.
        @Test func aSlotThatIsAsBeforeAgainHoldsNothing() {
            let table = GuardTable(capacity: 1)
            table.set(0, start: 100, count: 10)
            let isHeld = table.holds(105, in: 0) {
                table.set(0, start: 10_000, count: 1000)
                table.set(0, start: 100, count: 10)
            }
            #expect(!isHeld)
        }

        @Test func aFlagIsItsSlotsAndIsLoweredWithTheNextRange() {
            let table = GuardTable(capacity: 2)
            table.set(0, start: 100, count: 10)
            table.set(1, start: 200, count: 10)
            table.raise(0)
            #expect(table.flag(0).isRaised && !table.flag(1).isRaised)
            table.set(0, start: 0, count: 0)
            #expect(table.flag(0).isRaised)
            table.set(0, start: 300, count: 10)
            #expect(!table.flag(0).isRaised)
        }
    }
#endif
