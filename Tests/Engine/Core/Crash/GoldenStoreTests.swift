import Foundation
import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

/// Stores written by the first versions of formats 1 and 2. Their files never change: if a test here fails, the format
/// has changed.
@Suite struct GoldenStoreTests {
    @Test(arguments: GoldenStore.allCases)
    func storesOfAllFormatsAreReadEntryByEntry(_ store: GoldenStore) throws {
        let files = try store.files()
        let before = files.contents
        #expect(before.count >= 5)
        let reader = try store.open(files, readOnly: true)
        #expect(try GoldenStore.listing(reader) == store.listing())
        #expect(try reader.verify().problems.isEmpty)
        #expect(files.contents == before)
        try reader.close()
        let engine = try store.open(files)
        #expect(try GoldenStore.listing(engine) == store.listing())
        try engine.compact()
        #expect(try GoldenStore.listing(engine) == store.listing())
        try engine.close()
    }

    /// Without compression, the format determines every byte.
    @Test(arguments: [GoldenStore.plain, .splitPlain])
    func theSameScriptWritesTheSameBytes(_ store: GoldenStore) throws {
        let golden = try store.files()
        let written = try store.write()
        let kept = written.paths().filter { GoldenStore.isKept($0, written.read($0) ?? []) }
        #expect(kept == golden.paths())
        for path in kept {
            let bytes = GoldenStore.trimmed(path, written.read(path) ?? [])
            let expected = golden.read(path) ?? []
            let difference = zip(bytes, expected).enumerated().first { $1.0 != $1.1 }?.offset
            #expect(bytes.count == expected.count && difference == nil, "\(path) differs at \(difference ?? -1)")
        }
    }

    /// Not a test: writes the golden files into the directory named by SHALE_WRITE_GOLDEN.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["SHALE_WRITE_GOLDEN"] != nil))
    func goldenFilesAreExported() throws {
        let path = try #require(ProcessInfo.processInfo.environment["SHALE_WRITE_GOLDEN"])
        for store in GoldenStore.allCases { try store.export(to: path) }
    }
}
