import Posix
import Shale
import _ShaleHotPaths

extension LayerBench {
    /// Measures the disk space of stores of JSON documents with and without dictionaries: everything in their
    /// directories, after a compaction.
    func dictionaries() throws {
        for kind in [SampleDocuments.Kind.profiles, .orders, .events] {
            for (peer, trains) in [(Contender.shale, true), ("nodictionaries", false)] {
                try fill(kind, peer, trains)
            }
        }
    }

    private func fill(_ kind: SampleDocuments.Kind, _ peer: String, _ trains: Bool) throws {
        var options = StoreOptions()
        options.engine.trainsDictionaries = trains
        let name = "\(kind)-\(peer)"
        let store = try stores.store(name, options)
        let namespace = store.common["documents"]
        var documents = SampleDocuments(kind, seed: assignment.seed)
        let start = Start()
        let began = Clock.now
        var bytes = 0
        for item in 0..<assignment.entries {
            let document = documents.next()
            bytes += document.count
            try namespace.set(document, forKey: TypedKey.key(item))
        }
        try store.engine.compact()
        try settle()
        let row = try row(
            "documents\(kind)", peer, operations: assignment.entries, seconds: Clock.seconds(since: began),
            valueBytes: 200
        ) { row in
            row.cpuSeconds = Resources.cpuSeconds - start.cpuSeconds
            row.settledDiskBytes = Int(try DirectorySize(of: stores.directory(name)).allocatedBytes)
            row.spaceAmplification = row.settledDiskBytes.map {
                Double($0) / Double(bytes + assignment.entries * TypedKey.byteCount)
            }
        }
        try emit(row)
        try close()
        try open()
    }
}
