#if Encryption
    import ShaleKit
    import ShaleEngine
    import ShaleSimulation
    import Testing

    /// Each launch is counted exactly once.
    @Suite struct LaunchHistoryTests {
        @Test func firstLaunchesAreReported() throws {
            let fixture = BoxFixture()
            func launch(_ version: String) throws -> LaunchRecord {
                try fixture.launch { try $0.store.recordLaunch(version: version) }
            }
            let first = try launch("1.0")
            #expect(first.isFirst && first.isFirstOfVersion && first.count == 1 && first.previousVersion == nil)
            let second = try launch("1.0")
            #expect(!second.isFirst && !second.isFirstOfVersion && second.count == 2 && second.countOfVersion == 2)
            let updated = try launch("1.1")
            #expect(!updated.isFirst && updated.isFirstOfVersion && updated.count == 3)
            #expect(updated.previousVersion == "1.0")
            let back = try launch("1.0")
            #expect(!back.isFirstOfVersion && back.countOfVersion == 3 && back.previousVersion == "1.1")
            try fixture.uninstall()
            #expect(try launch("1.1").isFirst)
        }

        @Test func aCrashCountsALaunchOnceOrNotAtAll() throws {
            let files = SimulatedFileSystem(seed: 4)
            let fixture = BoxFixture(files)
            try fixture.launch { _ = try $0.store.recordLaunch(version: "1") }
            var isCounted = false
            let crashes = try files.crashes(mark: { isCounted }) {
                try fixture.launch { (box) throws in
                    #expect(try box.store.recordLaunch(version: "2").count == 2)
                    isCounted = true
                }
            }
            for crash in crashes {
                let next = try BoxFixture(crash.files).launch { try $0.store.recordLaunch(version: "2") }
                #expect(next.count == 3 || (next.count == 2 && !crash.mark), "\(crash.place)")
                #expect(next.countOfVersion == next.count - 1)
            }
        }
    }
#endif
