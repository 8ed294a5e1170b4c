#if Logging
    import Logging
    import ShaleBase

    extension StoreLog {
        func write(_ event: Engine.Event) {
            switch event {
            case .flushed(let entries, let duration):
                write(
                    .trace, "memtable flushed",
                    ["shale.entries": "\(entries)", "shale.duration": "\(duration)"])
            case .compacted(let compaction):
                write(
                    .trace, "segments compacted",
                    [
                        "shale.kind": "\(compaction.kind)", "shale.level": "\(compaction.outputLevel)",
                        "shale.segments": "\(compaction.inputSegments)", "shale.bytes.read": "\(compaction.readBytes)",
                        "shale.bytes.written": "\(compaction.writtenBytes)", "shale.duration": "\(compaction.duration)",
                    ])
            case .backgroundFailure(let error): write(.info, "background work failed", error: error)
            case .spaceExhausted: write(.warning, "the disk is full; writes may fail until space returns")
            case .spaceReturned: write(.info, "space has returned")
            case .clockDoubted(let doubt): clockDoubted(doubt)
            case .clockSetBack(let duration): clockSetBack(duration)
            case .pinHeld(let duration, let bytes):
                write(
                    .info, "a read holds replaced memory and files",
                    ["shale.duration": "\(duration)", "shale.bytes.retired": "\(bytes)"])
            }
        }

        func write(_ event: PurgeEvent) {
            switch event {
            case .applied(let report):
                write(
                    .debug, "purge policies applied",
                    [
                        "shale.entries": "\(report.entries)", "shale.bytes.logical": "\(report.logicalBytes)",
                        "shale.damage": "\(report.damage.count)",
                    ])
            case .failed(let error): write(.info, "purge policies failed", error: error)
            }
        }
    }
#endif
