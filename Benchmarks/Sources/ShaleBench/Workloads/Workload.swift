#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The workloads, with db_bench's names and meanings where it has them; `ycsba` … `ycsbf` are YCSB's core workloads.
enum Workload: String, Codable, CaseIterable, Sendable {
    case fillseq, fillrandom, fillpaced, fillbatch, fillsync, overwrite
    case readrandom, readmissing, readhot, multireadrandom, seekrandom, readseq, readreverse, readwhilewriting
    case readcold, scancold
    case ycsba, ycsbb, ycsbc, ycsbd, ycsbe, ycsbf
    case ycsbauniform, ycsbbuniform, ycsbcuniform, ycsbduniform, ycsbeuniform, ycsbfuniform
    case deleterandom, compact, reopen, crashreopen, purge, drop
    case verify, dump, load
    case typedset, typedupdate, typedget, typedopen
    case recordinsert, recordbatch, recordfind, recordrange, recordmodify, recordcount, recordopen, recordindex
    case namespaces
    case typedcalls, jsoncalls, observers, dictionaries

    /// The initial state of a workload.
    enum Beginning {
        /// An empty store.
        case empty
        /// The store's current content. If the store is empty, the requested number of entries is put first, without a
        /// row.
        case filled
        /// Like `filled`, with keys that leave room for others between them.
        case spread
        /// A directory that the workload manages itself.
        case own
        /// Typed values, which are put first without a row if there are none.
        case typed
        /// Records, which are inserted first without a row if there are none.
        case records
    }

    var beginning: Beginning {
        switch self {
        case .fillseq, .fillrandom, .fillpaced, .fillbatch, .fillsync: .empty
        case .overwrite, .readrandom, .readmissing, .readhot, .multireadrandom, .seekrandom, .readseq, .readreverse,
            .readwhilewriting, .readcold, .scancold, .deleterandom, .compact, .reopen, .verify, .dump, .load:
            .filled
        case .ycsba, .ycsbb, .ycsbc, .ycsbd, .ycsbe, .ycsbf, .ycsbauniform, .ycsbbuniform, .ycsbcuniform,
            .ycsbduniform, .ycsbeuniform, .ycsbfuniform:
            .spread
        case .crashreopen, .purge, .drop, .namespaces, .typedcalls, .jsoncalls, .observers, .dictionaries: .own
        case .typedset, .typedupdate, .typedget, .typedopen: .typed
        case .recordinsert, .recordbatch, .recordfind, .recordrange, .recordmodify, .recordcount, .recordopen,
            .recordindex:
            .records
        }
    }

    /// The kind of content of a workload; a store holds only one kind.
    enum Subject: Sendable {
        case bytes, typed, records, namespaces, layers
    }

    var subject: Subject {
        switch self {
        case .namespaces: .namespaces
        case .typedcalls, .jsoncalls, .observers, .dictionaries: .layers
        default:
            switch beginning {
            case .typed: .typed
            case .records: .records
            default: .bytes
            }
        }
    }

    /// A one-line description.
    var summary: String {
        switch self {
        case .fillseq: "puts in key order, one per commit"
        case .fillrandom: "puts in random order, every key once, one per commit"
        case .fillpaced:
            "fillrandom at a fixed rate; a row fillrandom with a pace, latencies since an operation was due"
        case .fillbatch: "puts in random order, 1000 per atomic batch"
        case .fillsync: "puts that are on the device when they return"
        case .overwrite: "puts every key again, in another random order"
        case .readrandom: "gets of keys that are there"
        case .readmissing: "gets of keys that sort between those that are there"
        case .readhot: "gets of the first hundredth of the keys"
        case .multireadrandom: "gets of 32 random keys at a time"
        case .seekrandom: "a new cursor at a random key and the next ten entries"
        case .readseq: "all entries in order"
        case .readreverse: "all entries in reverse order"
        case .readwhilewriting: "readrandom beside one thread that overwrites at full speed"
        case .readcold: "readrandom from the device: nothing is in the page cache or in the store's (Linux)"
        case .scancold: "readseq from the device (Linux)"
        case .ycsba: "YCSB A: 50 % reads, 50 % updates, zipfian"
        case .ycsbb: "YCSB B: 95 % reads, 5 % updates, zipfian"
        case .ycsbc: "YCSB C: reads, zipfian"
        case .ycsbd: "YCSB D: 95 % reads of the latest, 5 % inserts"
        case .ycsbe: "YCSB E: 95 % scans of 1 to 100 entries, 5 % inserts"
        case .ycsbf: "YCSB F: 50 % reads, 50 % read-modify-writes, zipfian"
        case .ycsbauniform, .ycsbbuniform, .ycsbcuniform, .ycsbduniform, .ycsbeuniform, .ycsbfuniform:
            "the same mix with all keys equally frequent"
        case .deleterandom: "deletes of all keys in random order"
        case .compact: "rewriting everything into the form best for reading"
        case .reopen: "opening after a clean close"
        case .crashreopen: "opening after SIGKILL with a nearly full write buffer"
        case .purge: "removing all purgeable entries of a namespace, of which every second one is (shale only)"
        case .drop: "removing everything, in the quickest way that there is"
        case .verify: "checking every byte of a closed store, beside what that takes at the least (shale only)"
        case .dump: "writing a closed store as lines of JSON, into nowhere (shale only)"
        case .load: "making a store of a dump (shale only)"
        case .typedset:
            "sets of small typed values under new keys, one at a time, safe against the death of the process"
        case .typedupdate: "the same under keys that are there, in random order"
        case .typedget: "gets of random ones, with their type"
        case .typedopen: "opening a store of typed values after a clean close"
        case .recordinsert:
            "insertions of records with a unique and another index, one at a time; for Shale beside plain sets of them"
        case .recordbatch: "the same in atomic batches of 1000; operations are records"
        case .recordfind: "random records by the unique field"
        case .recordrange: "the first 20 records from a random value of the other index on, in its order"
        case .recordmodify: "another value in the field of the other index, one record at a time, in random order"
        case .recordcount: "numbers of the records with a value in the other index"
        case .recordopen: "opening a store of records after a clean close"
        case .recordindex: "building a third index over the records"
        case .typedcalls: "numbers and strings through the store beside the same bytes through its engine, in turn"
        case .jsoncalls: "Codable values as JSON beside the encoder and the decoder alone, in turn"
        case .observers: "sets that one task and ten tasks observe beside sets that nobody observes, in turn"
        case .dictionaries: "JSON documents of 200 bytes on disk, with dictionaries and without"
        case .namespaces: "many keyspaces: making them, puts and gets in turn; entries are the keyspaces"
        }
    }
}

/// The work of one child process: workloads in sequence on one store of one peer.
struct Assignment: Codable, Sendable {
    struct Step: Codable, Hashable, Sendable {
        var workload: Workload
        var threads = 1
    }

    var run = 0
    var peer: PeerName
    var settings = PeerSettings()
    var entries: Int
    /// The control group that limits the memory, and its limit; `nil` without a limit.
    var memoryGroup: String?
    var memoryLimitBytes: Int?
    /// The maximum of reads and mixed operations of a workload.
    var operationsMax = 1_000_000
    /// The rate of a paced fill.
    var ratePerSecond = 50_000.0
    var seed: UInt64
    /// The directory for the store. The child creates it, and the process that gave the assignment removes it.
    var directory: String
    var steps: [Step]

    func encoded() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }

    init(encoded text: String) throws { self = try JSONDecoder().decode(Assignment.self, from: Data(text.utf8)) }

    init(peer: PeerName, entries: Int, seed: UInt64, directory: String, steps: [Step]) {
        self.peer = peer
        self.entries = entries
        self.seed = seed
        self.directory = directory
        self.steps = steps
    }
}
