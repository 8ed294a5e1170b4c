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

/// Failures of the manifest.
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

    /// The edit is durable, but the content of the disk behind it is unknown.
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

    /// Fails each call of a rewrite in turn. The store keeps the old manifest or has the new one, with the same
    /// content.
    @Test(arguments: [EIO, ENOSPC])
    func aRewriteThatFailsChangesNothing(_ number: Int32) throws {
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
                // Without space for a new manifest, the old one stays in use. If the replaced manifest can't be
                // removed, it is an orphan.
                let isOrphaned = fixture.files.faultsFired[0].operation.kind == .remove
                #expect((number == ENOSPC || isOrphaned) && !manifest.hasFailed, "\(place)")
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

    /// Before CURRENT is replaced, a failed rewrite changes nothing irreversibly and leaves no file behind.
    @Test(arguments: [OperationKind.create, .write, .sync, .close, .rename], [ENOSPC, EDQUOT])
    func aSuccessorOfCurrentThatFindsNoSpaceChangesNothing(_ kind: OperationKind, _ number: Int32) throws {
        let fixture = try ManifestFixture()
        let (manifest, files) = (fixture.manifest, fixture.files)
        let before = files.paths()
        files.inject(FaultRule(on: OperationSet([kind]), path: "CURRENT.tmp", when: .match(1), .error(number)))
        try manifest.rewrite()
        #expect(files.faultsFired.count == 1)
        #expect(!manifest.hasFailed)
        #expect(files.paths() == before)
        try manifest.commit(ManifestEdit([.clockFloor(2)]))
        #expect(try fixture.clockAfterPowerLoss() == 2)
        try manifest.rewrite()
        #expect(files.paths() != before && files.paths().count == before.count)
        #expect(try fixture.clockAfterPowerLoss() == 2)
    }

    /// A previous manifest that can't be removed is an orphan.
    @Test func anOldManifestThatStaysIsNoFailure() throws {
        let fixture = try ManifestFixture()
        fixture.files.inject(FaultRule(on: [.remove], path: "MANIFEST-*", when: .match(1), .error(EACCES)))
        try fixture.manifest.rewrite()
        #expect(!fixture.manifest.hasFailed && fixture.manifest.leavesOldManifest)
        try fixture.manifest.commit(ManifestEdit([.clockFloor(2)]))
        #expect(try fixture.clockAfterPowerLoss() == 2)
    }

    /// While the disk has space, the manifest reserves room for edits that a full disk can't take away.
    @Test func editsHaveRoomOnAFullDisk() throws {
        let fixture = try ManifestFixture()
        let (manifest, files) = (fixture.manifest, fixture.files)
        for clock in 2...3000 {
            if clock % 500 == 0 { files.setQuota(files.usedBytes) }
            for _ in 0..<(clock % 500 == 0 ? 200 : 1) { try manifest.commit(ManifestEdit([.clockFloor(Int64(clock))])) }
            files.setQuota(1 << 40)
        }
        #expect(try fixture.clockAfterPowerLoss() == 3000)
    }
}

/// The mark behind the last edit proves that the edit was synced. So damage to the edit does not count as
/// a torn tail, which would undo the edit.
@Suite struct ManifestDamageTests {
    @Test func noByteOfTheLastEditIsDamagedUnnoticed() throws {
        let fixture = try ManifestFixture()
        try fixture.manifest.commit(ManifestEdit([.clockFloor(2)]))
        let path = "/store/" + fixture.manifest.fileName
        let bytes = try #require(fixture.files.read(path))
        let edit = try #require(LogImage(bytes).chunks.last { $0.endsRecord }).range
        for offset in edit {
            let disk = fixture.files.crashClone(.keepAll)
            disk.corrupt(path, at: offset, xor: 1 << UInt8(offset % 8))
            let error = #expect(throws: StorageError.self, "offset \(offset)") { try ManifestFixture.clock(of: disk) }
            #expect(error?.code == .corruption && error?.file == fixture.manifest.fileName, "offset \(offset)")
            #expect(error?.offset == UInt64(edit.lowerBound), "offset \(offset)")
        }
    }
}
