import ShaleBase
import ShaleManifest
import ShaleSimulation
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What a manifest does when it can't do what it should: contract E-1, E-3.
@Suite struct ManifestFailureTests {
    @Test func anEditThatContradictsTheStateIsRefusedBeforeItIsWritten() throws {
        let fixture = try ManifestFixture()
        let (manifest, files) = (fixture.manifest, fixture.files)
        let calls = files.operationCount
        let error = #expect(throws: StorageError.self) {
            try manifest.commit(ManifestEdit([.clockFloor(7), .segmentRemoved(9, level: 1)]))
        }
        #expect(error?.code == .invalidArgument, "\(String(describing: error))")
        #expect(files.operationCount == calls && !manifest.hasFailed && manifest.state.clockFloor == 1)
        try manifest.commit(ManifestEdit([.clockFloor(2)]))
        #expect(try fixture.clockAfterPowerLoss() == 2)
    }

    /// The edit is durable; of the mark behind it nobody can tell what the disk holds.
    @Test func aMarkThatCannotBeWrittenEndsIt() throws {
        let fixture = try ManifestFixture()
        let manifest = fixture.manifest
        fixture.files.inject(FaultRule(on: [.write], path: "MANIFEST-*", when: .match(2), .error(EIO)))
        let error = #expect(throws: StorageError.self) { try manifest.commit(ManifestEdit([.clockFloor(2)])) }
        #expect(error?.code == .ioFailure && error?.file?.hasSuffix(manifest.fileName) == true)
        #expect(manifest.hasFailed)
        #expect(code { () throws(StorageError) in try manifest.commit(ManifestEdit([.clockFloor(3)])) } == .poisoned)
        #expect(try fixture.clockAfterPowerLoss() == 2)
    }

    /// Each call of it in turn. The store has the old manifest or the new one, and both say the same.
    @Test(arguments: [EIO, ENOSPC])
    func aRewriteThatFails(_ number: Int32) throws {
        var failures = 0
        while true {
            let fixture = try ManifestFixture()
            let manifest = fixture.manifest
            fixture.files.inject(FaultRule(when: .match(failures + 1), .error(number)))
            let outcome = Result { () throws(StorageError) in try manifest.rewrite() }
            guard !fixture.files.faultsFired.isEmpty else { break }
            failures += 1
            let place = "call \(failures): \(fixture.files.faultsFired[0].operation)"
            #expect(try fixture.clockAfterPowerLoss() == 1, "\(place)")
            switch outcome {
            case .success:
                // Without space for a new one the old one goes on.
                #expect(number == ENOSPC && !manifest.hasFailed, "\(place)")
                try manifest.commit(ManifestEdit([.clockFloor(2)]))
                #expect(try fixture.clockAfterPowerLoss() == 2, "\(place)")
            case .failure(let error):
                #expect(error.code == (number == EIO ? .ioFailure : .noSpace) && error.file != nil, "\(place)")
                #expect(manifest.hasFailed, "\(place)")
                #expect(code { () throws(StorageError) in try manifest.rewrite() } == .poisoned, "\(place)")
            }
        }
        #expect(failures > 8)
    }
}
