extension Bar {
    /// All bars, in the order of the report. Keys of 16 bytes, values of 100 bytes and compression, unless stated
    /// otherwise.
    static let all: [Bar] =
        fills + syncs + reads + mixed + typed + records + layers + space + steps + offline + beyondCache

    private static let large = Size.entries(10_000_000)
    private static let lsmSpace = Reference.peers(["rocksdb"])

    private static let fills: [Bar] = [
        Bar(workload: "fillseq", factor: 2.5, reference: .bestLSM),
        Bar(workload: "fillrandom", factor: 4, reference: .bestLSM),
        Bar(workload: "overwrite", factor: 4, reference: .bestLSM),
        Bar(workload: "fillbatch", factor: 4, reference: .bestLSM),
        Bar(workload: "fillrandom", size: large, measure: .settledPerSecond, factor: 3, reference: .bestLSM),
        Bar(
            workload: "fillrandom", size: large, measure: .longest, relation: .atMost, factor: 20_000,
            reference: .constant),
        Bar(workload: "fillrandom", size: large, measure: .p999, relation: .atMost, factor: 1, reference: .bestPeer),
    ]

    private static let syncs: [Bar] = [1, 4, 16].flatMap { threads in
        [
            Bar(workload: "fillsync", size: .every, threads: threads, factor: 0.9, reference: .roofline("fdatasync")),
            Bar(workload: "fillsync", size: .every, threads: threads, factor: 1.4, reference: .bestPeer),
        ]
    }

    private static let reads: [Bar] =
        ["readrandom", "readmissing"].flatMap { workload in
            [1, 2].flatMap { read(workload, threads: $0, lsm: 3, lmdb: 1) }
        } + read("readhot", lsm: 2.5, lmdb: 0.6) + read("seekrandom", lsm: 3, lmdb: 0.7)
        + read("readseq", lsm: 2.5, lmdb: 0.6) + read("readreverse", lsm: 2.5, lmdb: 0.6)

    private static func read(
        _ workload: String, size: Size = .entries(2_000_000), threads: Int = 1, lsm: Double, lmdb: Double
    ) -> [Bar] {
        [
            Bar(workload: workload, size: size, threads: threads, factor: lsm, reference: .bestLSM),
            Bar(workload: workload, size: size, threads: threads, factor: lmdb, reference: .peers(["lmdb"])),
        ]
    }

    private static let mixed: [Bar] =
        [Bar(workload: "readwhilewriting", threads: nil, factor: 4, reference: .bestLSM)]
        + [("a", 4), ("b", 2.5), ("c", 2.5), ("d", 2.5), ("e", 2.5), ("f", 4)].flatMap { letter, factor in
            [1, 2].map { Bar(workload: "ycsb" + letter, threads: $0, factor: factor, reference: .bestLSM) }
        }

    /// The load of an app's settings: small typed entries, one at a time.
    private static let typed: [Bar] =
        ["typedset", "typedget"].flatMap { workload in
            [10_000, 1_000_000].flatMap { entries in
                [(5, ["sqlite", "grdb"]), (1, ["userdefaults"])].map { factor, peers in
                    Bar(
                        workload: workload, size: .entries(entries), valueBytes: nil, factor: factor,
                        reference: .peers(peers))
                }
            }
        }
        + [("typedset", 532_000), ("typedget", 1_200_000)].map { workload, rate in
            Bar(
                workload: workload, size: .entries(1_000_000), valueBytes: nil, factor: rate,
                reference: .elsewhere("MMKV"))
        } + [
            Bar(
                workload: "typedopen", size: .entries(1_000_000), valueBytes: nil, measure: .milliseconds,
                relation: .atMost, factor: 20, reference: .constant)
        ]

    /// Collections of records with two indexes. Insertion is also compared with plain sets of the same records.
    private static let records: [Bar] = [
        record("recordinsert", factor: 10, "grdb"), record("recordinsert", factor: 5, "sqlite"),
        record("recordinsert", factor: 0.25, PlainRecords.name), record("recordbatch", factor: 2, "sqlite"),
        record("recordfind", factor: 3, "sqlite"), record("recordrange", factor: 2, "sqlite"),
        record("recordmodify", factor: 5, "sqlite"), record("recordcount", factor: 1, "sqlite"),
        Bar(
            workload: "recordopen", size: .entries(1_000_000), valueBytes: nil, measure: .milliseconds,
            relation: .atMost, factor: 10, reference: .constant),
        Bar(
            workload: "recordindex", size: .entries(1_000_000), valueBytes: nil, measure: .milliseconds,
            relation: .atMost, factor: 0.5, reference: .peers(["sqlite"])),
    ]

    private static func record(_ workload: String, factor: Double, _ peer: String) -> Bar {
        Bar(workload: workload, size: .every, valueBytes: nil, factor: factor, reference: .peers([peer]))
    }

    /// The permitted cost of the store's interface relative to the engine, to an encoder and to a writer without
    /// observers; and the savings that dictionaries must reach.
    private static let layers: [Bar] =
        ["int", "double", "bool", "string"].flatMap { kind in
            ["set", "get"].map { layer($0 + kind, factor: 1 / 1.3, "engine") }
        } + ["setjson", "getjson"].map { layer($0, factor: 0.9, "encoder") }
        + ["setobserved1", "setobserved10"].map { layer($0, factor: 0.5, "unobserved") }
        + ["profiles", "orders", "events"].map { kind in
            Bar(
                workload: "documents" + kind, size: .entries(1_000_000), valueBytes: nil, measure: .settledDiskBytes,
                relation: .atMost, factor: 0.75, reference: .peers(["nodictionaries"]))
        }

    private static func layer(_ workload: String, factor: Double, _ yardstick: String) -> Bar {
        Bar(workload: workload, size: .every, valueBytes: nil, factor: factor, reference: .peers([yardstick]))
    }

    private static let space: [Bar] = [Size.entries(2_000_000), large].flatMap { size in
        [
            Bar(
                workload: "fillrandom", size: size, measure: .settledDiskBytes, relation: .atMost, factor: 0.9,
                reference: lsmSpace),
            Bar(
                workload: "fillrandom", size: size, measure: .writeAmplification, relation: .atMost, factor: 0.8,
                reference: lsmSpace),
        ]
    }

    /// Single steps, and the memory of all workloads.
    private static let steps: [Bar] =
        [
            step("reopen", size: large, milliseconds: 20),
            Bar(
                workload: "reopen", size: .every, measure: .milliseconds, relation: .atMost, factor: 2,
                reference: .smallestSize),
            step("crashreopen", size: .every, milliseconds: 300),
            Bar(
                workload: "crashreopen", size: .every, measure: .milliseconds, relation: .atMost, factor: 1,
                reference: .rooflineStep("log parse")),
            step("purge", size: .every, milliseconds: 5),
            step("drop", size: .every, milliseconds: 5),
            Bar(
                workload: "", size: .every, threads: nil, valueBytes: nil, measure: .peakResidentBytes,
                relation: .atMost, factor: 1, reference: .memoryBudget(plus: 64 << 20)),
        ]

    /// Data that outgrow the caches: the preset `large`.
    private static let beyondCache: [Bar] =
        [10_000_000, 50_000_000].flatMap { entries in
            [1, 2].flatMap { threads in
                read("readrandom", size: .entries(entries), threads: threads, lsm: 3, lmdb: 0.5)
            } + read("seekrandom", size: .entries(entries), lsm: 2.5, lmdb: 0.4)
        } + [
            Bar(
                workload: "readrandom", size: .entries(50_000_000), factor: 0.8, reference: .ours(entries: 10_000_000)),
            Bar(workload: "readseq", size: large, factor: 1, reference: .peers(["lmdb"])),
            Bar(
                workload: "fillrandom", size: .entries(50_000_000), measure: .settledPerSecond, factor: 0.6,
                reference: .ours(entries: 10_000_000)),
            Bar(
                workload: "fillrandom", size: .entries(50_000_000), measure: .longest, relation: .atMost,
                factor: 20_000, reference: .constant),
        ] + read("readmissing", size: large, lsm: 3, lmdb: 2)
        + [("b", 3), ("c", 3), ("d", 3), ("e", 2.5)].map { letter, factor in
            Bar(workload: "ycsb" + letter, size: large, factor: factor, reference: .bestLSM)
        }

    /// The offline tool.
    private static let offline: [Bar] = [100, 1024].flatMap { valueBytes in
        [
            Bar(
                workload: "verify", size: .every, threads: 2, valueBytes: valueBytes, factor: 0.7,
                reference: .ownRoofline),
            Bar(workload: "dump", size: .every, valueBytes: valueBytes, factor: 500_000, reference: .constant),
            Bar(workload: "load", size: .every, valueBytes: valueBytes, factor: 500_000, reference: .constant),
        ]
    }

    private static func step(_ workload: String, size: Size, milliseconds: Double) -> Bar {
        Bar(
            workload: workload, size: size, measure: .milliseconds, relation: .atMost, factor: milliseconds,
            reference: .constant)
    }
}
