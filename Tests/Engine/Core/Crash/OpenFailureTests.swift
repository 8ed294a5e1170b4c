import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Each call of an open fails in turn. The error names the file, and the next open succeeds and
/// shows everything.
@Suite struct OpenFailureTests {
    /// Opens what `disk` makes with its k-th call failing, for every k.
    private func failEveryCall(_ disk: () throws -> SimulatedFileSystem, entries: Int) throws {
        var failures = 0
        while true {
            let files = try disk()
            files.inject(FaultRule(when: .match(failures + 1), .error(EIO)))
            let outcome = Result { try TestStore.open(files, TestStore.smallOptions) }
            guard let fault = files.faultsFired.first else { break }
            failures += 1
            switch outcome {
            case .success(let engine): try engine.close()
            case .failure(let error):
                let error = try #require(error as? StorageError)
                #expect(error.code == .ioFailure && error.file != nil, "\(fault.operation): \(error)")
                #expect(files.openHandlePaths.isEmpty, "\(fault.operation): \(files.openHandlePaths)")
            }
            let engine = try TestStore.open(files, TestStore.smallOptions)
            let shown = try engine.namespaces.reduce(0) { try $0 + engine.entries(in: $1.id).count }
            #expect(shown == entries, "\(fault.operation)")
            #expect(files.paths().allSatisfy { !$0.hasSuffix("77.seg") }, "\(fault.operation)")
            try engine.close()
        }
        #expect(failures > 20)
    }

    @Test func aFailedCreationNamesTheFileAndTheNextOneSucceeds() throws {
        try failEveryCall({ SimulatedFileSystem(seed: 1) }, entries: 0)
    }

    /// The store has a log to replay and unreferenced files.
    @Test func aFailedOpenNamesTheFileAndTheNextOneSucceeds() throws {
        let store = try TestStore()
        let ns = try store.namespace("n")
        for i in 1...3 { try store.put("key\(i)", "value", in: ns) }
        store.files.write("/store/segments/0000000077.seg", [1, 2, 3])
        store.files.write("/store/CURRENT.tmp", [1])
        try failEveryCall({ store.files.crashClone(.processKill) }, entries: 3)
    }
}
