import Foundation
import Shale
import Testing

@testable import ShaleCommand

/// An acknowledged record survives a kill of the process at any time, on the real file system.
@Suite struct KilledImportTests {
    @Test(arguments: [1, 7, 20, 33])
    func aKilledImportLeavesItsAcknowledgedBatchesAndAtMostTheNextOneWhole(_ killAfter: Int) throws {
        let sandbox = try Sandbox()
        let filler = String(repeating: "x", count: 200)
        let stanzas = (0..<20_000).map { number in
            "Package: p\(number % 15_000)\nVersion: 1\nFiller: \(filler)\(number)\nDescription: d\(number)\n\n"
        }
        let file = try sandbox.write(stanzas.joined(), to: "Packages")
        let target = NamespacePath(user: nil, components: ["packages"])
        let purgeable = target.appending("Description")
        let input = ImportInput(
            files: [file], format: .control,
            shape: RecordShape(keyFields: ["Package", "Version"], purgeableField: "Description"), batchRecords: 200)
        let arguments = [
            "import", sandbox.store, "packages", file, "--key", "Package", "--key", "Version", "--purgeable-field",
            "Description", "--batch", "200", "--ack-fd", "1", "--quiet",
        ]
        let killed = try #require(
            try KilledImport.run(Sandbox.command.path, arguments, killAfter: killAfter), "it ended before it was killed"
        )
        #expect(killed.acknowledged.batches >= killAfter)

        var expected = ExpectedContent()
        var batches = input.batches()
        for _ in 0..<killed.acknowledged.batches {
            try expected.apply(try #require(try batches.next()), to: target, purgeable: purgeable)
        }
        let store = try Store(at: sandbox.store)
        var differences = try expected.differences(from: store, in: [target, purgeable])
        if differences > 0, let inFlight = try batches.next() {
            try expected.apply(inFlight, to: target, purgeable: purgeable)
            differences = try expected.differences(from: store, in: [target, purgeable])
        }
        #expect(differences == 0)

        var importer = Importer(store: store, target: target, purgeableTarget: purgeable, input: input)
        importer.isResuming = true
        _ = try importer.run(Progress("import", isQuiet: true))
        batches = input.batches()
        while let batch = try batches.next() { try expected.apply(batch, to: target, purgeable: purgeable) }
        #expect(try expected.differences(from: store, in: [target, purgeable]) == 0)
        try store.close()
        #expect(try sandbox.shale("verify", sandbox.store).status == 0)
    }
}
