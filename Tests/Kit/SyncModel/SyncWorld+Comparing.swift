import Shale
import ShaleSync
import ShaleSyncServer

/// The state in which every history ends.
extension SyncWorld {
    func compare() throws {
        let problems = try host.server.problems()
        guard problems.isEmpty else { throw SyncDisagreement("the server: \(problems)") }
        let content = try devices[0].content()
        for device in devices.dropFirst() where try device.content() != content {
            throw SyncDisagreement(
                "devices 0 and \(device.number) differ: \(SyncWorld.difference(content, try device.content()))")
        }
        let new = try newDevice()
        try settle(new)
        guard try new.content() == content else {
            throw SyncDisagreement(
                "a new device differs: \(SyncWorld.difference(content, try new.content()))")
        }
        for device in devices { counted(conflicts: try device.engine.keptCount()) }
        try compareCounters(content)
        try compareCards(content)
        try compareNotes(content)
    }

    private static func difference(_ a: [String: String], _ b: [String: String]) -> String {
        Set(a.keys).union(b.keys).sorted().filter { a[$0] != b[$0] }
            .map { "\($0): \(a[$0] ?? "none") and \(b[$0] ?? "none")" }.joined(separator: ", ")
    }

    /// Every increment that no power cut has taken is counted once.
    private func compareCounters(_ content: [String: String]) throws {
        var sums: [Int: Int] = [:]
        for write in devices.flatMap(\.writes) {
            if case .increment(let id) = write.kind { sums[id, default: 0] += 1 }
        }
        let found = content.filter { $0.key.hasPrefix("counter") }
        let wanted = Dictionary(uniqueKeysWithValues: sums.map { ("counter \($0.key)", "\($0.value)") })
        guard found == wanted else {
            throw SyncDisagreement("increments: \(SyncWorld.difference(found, wanted))")
        }
    }

    /// Every field has the last value of the device that writes it.
    private func compareCards(_ content: [String: String]) throws {
        var cards: [Int: [String]] = [:]
        for device in devices {
            for write in device.writes {
                if case .card(let id, let value) = write.kind {
                    cards[id, default: ["-", "-", "-", "-"]][device.number] = value
                }
            }
        }
        let found = content.filter { $0.key.hasPrefix("card") }
        let wanted = Dictionary(uniqueKeysWithValues: cards.map { ("card \($0.key)", "\($0.value)") })
        guard found == wanted else { throw SyncDisagreement("fields: \(SyncWorld.difference(found, wanted))") }
    }

    /// Every note has a value that was written. With right clocks and tombstones, it is the last one.
    private func compareNotes(_ content: [String: String]) throws {
        var last: [Int: SyncDevice.Write] = [:]
        var values: [Int: Set<String?>] = [:]
        for write in devices.flatMap(\.writes) {
            guard case .note(let id, let value) = write.kind else { continue }
            values[id, default: []].insert(value)
            if last[id].map({ $0.stamp < write.stamp }) ?? true { last[id] = write }
        }
        for (id, values) in values {
            let found = content["note \(id)"]
            guard values.contains(found) else {
                throw SyncDisagreement("note \(id) is \(found ?? "missing"), which was not written")
            }
            guard !isSkewed, coverage.removedTombstones == 0, case .note(_, let value)? = last[id]?.kind else {
                continue
            }
            guard found == value else {
                throw SyncDisagreement("note \(id) is \(found ?? "missing"), not \(value ?? "missing")")
            }
        }
        let strange = content.keys.filter { $0.hasPrefix("note") }.count { key in
            !values.keys.contains { key == "note \($0)" }
        }
        guard strange == 0 else { throw SyncDisagreement("\(strange) notes that were never written") }
    }
}
