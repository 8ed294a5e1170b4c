/// A rule that every trace of a store has to obey.
struct Rule: Sendable {
    let name: String
    /// Returns the violations, one line each.
    let check: @Sendable (History) -> [String]
}

enum Contract {
    static let rules = [
        descriptors, creations, references, current, removals, acknowledgements, order, failures,
    ]

    /// S-1, S-2.
    static let descriptors = Rule(name: "descriptors are closed on exec and follow no link inside the store") {
        history in
        history.opens.compactMap { open in
            let flags = open.call.arguments[2]
            // System libraries open other files.
            guard history.isInside(open.path) else { return nil }
            guard flags.contains("O_CLOEXEC"), flags.contains("O_NOFOLLOW") else {
                return "\(open.path) is opened with \(flags)"
            }
            return nil
        }
    }

    /// S-1.
    static let creations = Rule(name: "files are 0600 and directories 0700, and a new name is new") { history in
        let files = history.creations.filter { creation in
            creation.call.arguments.last != "0600" || !creation.call.arguments[2].contains("O_EXCL")
        }
        let folders = history.folders.filter { $0.call.arguments.last != "0700" }
        return (files + folders).map { "\($0.path) is made with \($0.call.arguments.dropFirst(2))" }
    }

    /// D-3, D-6: a manifest may reach the disk as soon as it is written.
    static let references = Rule(name: "what a manifest refers to is durable before it is written") { history in
        history.references.compactMap { reference in
            let line = reference.write.begin
            switch reference.fact {
            case .segmentAdded(let number):
                let path = history.segment(number)
                if !history.isContentSynced(path, before: line) { return "\(path) was not synced before it was named" }
                return history.isNameSynced(path, before: line) ? nil : "the name of \(path) was not synced"
            case .newestLog(let number):
                let path = history.log(number)
                return history.isNameSynced(path, before: line) ? nil : "the name of \(path) was not synced"
            case .logFloor, .segmentRemoved: return nil
            }
        }
    }

    /// D-3: CURRENT names a whole manifest and is replaced atomically.
    static let current = Rule(name: "CURRENT is replaced by what is durable") { history in
        history.renames.filter { $0.to == history.store + "/CURRENT" }.flatMap { rename in
            let line = rename.call.begin
            let content = history.writes.last { $0.path == rename.from && $0.call.begin < line }?.call.bytes(1) ?? []
            let manifest = history.manifest(ManifestFact.word(content, 16, 8))
            var broken: [String] = []
            if !history.isContentSynced(rename.from, before: line) { broken.append("\(rename.from) was not synced") }
            if !history.isContentSynced(manifest, before: line) { broken.append("\(manifest) was not synced") }
            if !history.isNameSynced(manifest, before: line) { broken.append("the name of \(manifest) was not synced") }
            return broken
        }
    }

    /// D-3, D-6: a file is not removed while durable data may refer to it.
    static let removals = Rule(name: "files are removed when nothing durable refers to them") { history in
        history.removals.compactMap { removal in
            let line = removal.call.begin
            if history.isManifest(removal.path) {
                guard let rename = history.renames.last(where: { $0.call.end < line }) else { return nil }
                let isDurable = history.isSynced(history.store, after: rename.call.end, before: line)
                return isDurable ? nil : "\(removal.path) is removed before the rename of CURRENT is durable"
            }
            if history.isLog(removal.path) {
                let isGivenUp = history.isRecorded(before: line) { fact in
                    guard case .logFloor(let floor) = fact else { return false }
                    return floor == 0 || history.log(floor) > removal.path
                }
                return isGivenUp ? nil : "\(removal.path) is removed while recovery needs it"
            }
            guard history.isSegment(removal.path) else { return nil }
            let wasNamed = history.references.contains { reference in
                guard case .segmentAdded(let number) = reference.fact else { return false }
                return history.segment(number) == removal.path && reference.write.begin < line
            }
            let isGivenUp = history.isRecorded(before: line) { fact in
                guard case .segmentRemoved(let number) = fact else { return false }
                return history.segment(number) == removal.path
            }
            return isGivenUp || !wasNamed ? nil : "\(removal.path) is removed while a manifest names it"
        }
    }

    /// D-2.
    static let acknowledgements = Rule(name: "a synced write returns after a sync of the log") { history in
        zip(history.marks, history.marks.dropFirst()).compactMap { begin, end in
            guard begin.mark == .syncedWriteBegins, end.mark == .syncedWriteReturned else { return nil }
            let isSynced = history.syncs.contains {
                history.isLog($0.path) && $0.call.begin > begin.call.begin && $0.call.end < end.call.end
            }
            return isSynced ? nil : "nothing was synced before line \(end.call.begin)"
        }
    }

    /// D-3: durable data has no hole before it.
    static let order = Rule(name: "a log is synced after those before it") { history in
        history.syncs.filter { history.isLog($0.path) }.flatMap { sync in
            let line = sync.call.begin
            let earlier = Set(history.writes.map(\.path)).filter { history.isLog($0) && $0 < sync.path }
            return earlier.filter { log in
                let isGivenUp = history.isRecorded(before: line) { fact in
                    guard case .logFloor(let floor) = fact else { return false }
                    return floor == 0 || history.log(floor) > log
                }
                return !isGivenUp && !history.isContentSynced(log, before: line)
            }.map { "\(sync.path) is synced before \($0)" }
        }
    }

    /// E-1: after a failure of a log or manifest, nothing is written to any file of its kind, and no file is synced
    /// again after its failed sync. A flush of earlier data may still continue, and the space of an unused log may be
    /// reserved.
    static let failures = Rule(name: "nothing is written after a failure that poisons") { history in
        history.failures.flatMap { failure -> [String] in
            let later = (history.writes + history.syncs + history.failures).filter { $0.call.begin > failure.call.end }
            return later.filter { event in
                event.path == failure.path
                    || history.isLog(failure.path) && history.isLog(event.path) && event.call.name != "fallocate"
                    || history.isManifest(failure.path) && history.isManifest(event.path)
            }.map { "\(failure.call.name) of \(failure.path) failed, and then came \($0.call.name) of \($0.path)" }
        }
    }
}
