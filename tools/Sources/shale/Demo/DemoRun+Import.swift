import Shale

extension DemoRun {
    /// Reads the package lists once, to determine the content that the store must have.
    func readSource(_ sources: DemoSources) throws -> (ImportInput, [[Record]]) {
        try say("1. Source: \(Figures.count(sources.stanzaFiles.count, "list")) of packages")
        for file in sources.stanzaFiles { try say("     \(file)") }
        let shape = RecordShape(
            keyFields: StanzaReader.defaultKeyFields, purgeableField: DemoRun.descriptions.components.last)
        var input = ImportInput(files: sources.stanzaFiles, format: .control, shape: shape)
        let count = try count(input)
        // Makes enough batches for the kill to come between two, even with little data.
        input.batchRecords = max(1, min(512, count / 64))
        var reader = input.batches()
        var batches: [[Record]] = []
        while let batch = try reader.next() { batches.append(batch) }
        figures.sourceRecords = count
        figures.sourceBytes = reader.readBytes
        try say("     \(Figures.count(count)) stanzas, \(Figures.bytes(reader.readBytes))")
        return (input, batches)
    }

    private func count(_ input: ImportInput) throws -> Int {
        var reader = input.batches()
        var count = 0
        while let batch = try reader.next() { count += batch.count }
        return count
    }

    private func importArguments(_ input: ImportInput) -> [String] {
        ["import", storePath, DemoRun.packages.text] + input.files
            + [
                "--input-format", input.format.rawValue, "--purgeable-field", input.shape.purgeableField ?? "",
                "--batch", String(input.batchRecords), "--expect", String(figures.sourceRecords), "--ack-fd", "1",
            ]
    }

    /// Imports in a separate process, which is killed when half of the batches are acknowledged.
    func importAndKill(_ input: ImportInput, _ batches: [[Record]]) throws -> KilledImport {
        try say(
            "\n2. Import into \"\(DemoRun.packages.text)\", descriptions purgeable, in a process that is killed half "
                + "way"
        )
        var killAfter = max(1, batches.count / 2)
        let executable = try executablePath()
        while true {
            if let killed = try KilledImport.run(executable, importArguments(input), killAfter: killAfter) {
                let records = killed.acknowledged.records
                try say(
                    "     SIGKILL after batch \(killed.acknowledged.batches) of \(batches.count): "
                        + "\(Figures.count(records)) stanzas acknowledged in \(Figures.duration(killed.duration)), "
                        + Figures.rate(UInt64(records), killed.duration))
                figures.add(killed)
                return killed
            }
            guard killAfter > 1 else { throw ToolFailure.different("the import could not be killed in time") }
            try say("     the import finished before the kill: repeating with an earlier one")
            try removeTree(storePath)
            killAfter /= 2
        }
    }

    /// Checks that every acknowledged batch is in the store, and at most the one in flight besides, as a whole.
    func reopenAfterKill(_ killed: KilledImport, _ batches: [[Record]]) throws {
        try say("\n3. Reopen after the kill")
        let (store, time) = try time { try openStore() }
        figures.reopenAfterKill = time
        let recovery = store.recovery
        try say(
            "     \(Figures.duration(time)): \(Figures.count(recovery.replayedBatches)) batches replayed from the log "
                + "(\(Figures.bytes(recovery.replayedBytes))), \(Figures.bytes(recovery.droppedBytes)) of torn tail "
                + "dropped"
        )
        let paths = [DemoRun.packages, DemoRun.descriptions]
        let acknowledged = killed.acknowledged.batches
        for batch in batches[..<acknowledged] {
            try expected.apply(batch, to: DemoRun.packages, purgeable: DemoRun.descriptions)
        }
        var differences = try expected.differences(from: store, in: paths)
        var found: Shown =
            "exactly the \(Figures.count(expected.count)) entries of the \(acknowledged) acknowledged batches"
        if differences > 0, acknowledged < batches.count {
            var withNext = expected
            try withNext.apply(batches[acknowledged], to: DemoRun.packages, purgeable: DemoRun.descriptions)
            if try withNext.differences(from: store, in: paths) == 0 {
                differences = 0
                expected = withNext
                found += " and, whole, the one that was in flight"
            }
        }
        try require(differences, "after the kill")
        try say("     \(found): compared byte for byte")
        try close(store)
    }

    /// Imports the same input again; entries that exist are skipped.
    func resume(_ input: ImportInput, _ batches: [[Record]]) throws {
        try say("\n4. Resume")
        let store = try openStore()
        var importer = Importer(
            store: store, target: DemoRun.packages, purgeableTarget: DemoRun.descriptions, input: input)
        importer.isResuming = true
        importer.expectedRecords = figures.sourceRecords
        let progress = Progress("import", isQuiet: false)
        let report = try importer.run(progress)
        progress.erase()
        try close(store)
        figures.resumeTime = .seconds(report.seconds)
        figures.resumedRecords = report.records
        try say("     " + report.text())
        for batch in batches { try expected.apply(batch, to: DemoRun.packages, purgeable: DemoRun.descriptions) }
    }

    /// Imports each code table into a namespace below "iso".
    func importCodes(_ sources: DemoSources) throws {
        guard !sources.codeFiles.isEmpty else { return try say("\n5. Import the ISO code tables: none are installed") }
        try say("\n5. Import \(sources.codeFiles.count) ISO code tables, a namespace each")
        let store = try openStore()
        var total = 0
        for file in sources.codeFiles {
            let target = NamespacePath(user: nil, components: ["iso", file.name])
            let input = ImportInput(
                files: [file.path], format: .json, shape: RecordShape(keyFields: [file.keyField]))
            let progress = Progress("import", isQuiet: true)
            let report = try Importer(store: store, target: target, purgeableTarget: nil, input: input).run(progress)
            total += report.records
            var reader = input.batches()
            while let batch = try reader.next() { try expected.apply(batch, to: target, purgeable: nil) }
        }
        try close(store)
        try say("     \(Figures.count(total)) codes")
    }
}
