import Formatting

/// A figure that Shale has to reach.
struct Bar: Sendable {
    enum Size: Equatable, Sendable {
        case entries(Int)
        /// Every measured size; the worst one counts.
        case every
    }

    enum Relation: Sendable {
        case atLeast, atMost
    }

    /// The reference by which Shale's median is divided, or with which it is compared.
    enum Reference: Equatable, Sendable {
        /// The better of LevelDB and RocksDB.
        case bestLSM
        /// The best of all peers.
        case bestPeer
        /// The best of these peers.
        case peers([String])
        /// A limit of the machine, with as many threads as the workload.
        case roofline(String)
        /// A limit of the machine in steps per second, for one step.
        case rooflineStep(String)
        /// The row's own limit of the machine.
        case ownRoofline
        /// No reference: the factor is the limit, in the unit of the measure.
        case constant
        /// The factor is the figure of a store that can't be linked here, measured on another occasion.
        case elsewhere(String)
        /// The memory budget plus this number of bytes.
        case memoryBudget(plus: Int)
        /// Shale itself at the smallest measured size.
        case smallestSize
        /// Shale itself with this number of entries.
        case ours(entries: Int)
    }

    /// The workload; empty for all workloads.
    var workload: String
    var size = Size.entries(2_000_000)
    var threads: Int? = 1
    /// `nil` for any size.
    var valueBytes: Int? = 100
    var measure = Measure.perSecond
    var relation = Relation.atLeast
    var factor: Double
    var reference: Reference
}

extension Bar {
    /// Returns true if the bar applies to rows of this setting, whatever their size.
    func concerns(_ setting: Setting) -> Bool {
        (workload.isEmpty || setting.workload == workload) && (threads == nil || setting.threads == threads)
            && (valueBytes == nil || setting.valueBytes == valueBytes) && setting.rate == nil
    }

    func isReached(_ value: Double) -> Bool {
        switch relation {
        case .atLeast: value >= factor
        case .atMost: value <= factor
        }
    }

    /// `fillsync, 4 threads`.
    var name: String {
        var parts = [workload.isEmpty ? "every workload" : workload]
        switch size {
        case .entries(let count): parts.append("n = \(Format.grouped(Double(count)))")
        case .every: parts.append("every n")
        }
        if let threads, threads > 1 { parts.append("\(threads) threads") }
        return parts.joined(separator: ", ")
    }

    /// `throughput ≥ 2.5 × the best LSM peer`.
    var wanted: String {
        let sign = relation == .atLeast ? "≥" : "≤"
        let times = "\(measure.title) \(sign) \(Format.digits(factor)) × "
        switch reference {
        case .bestLSM: return times + "the best LSM peer"
        case .bestPeer: return times + "the best peer"
        case .peers(let peers): return times + peers.map(Contender.name(of:)).joined(separator: " or ")
        case .roofline(let name): return times + "the \(name) roofline"
        case .rooflineStep(let name): return times + "the \(name) roofline"
        case .ownRoofline: return times + "its roofline"
        case .constant: return "\(measure.title) \(sign) \(measure.text(factor))"
        case .elsewhere(let store):
            return "\(measure.title) \(sign) \(measure.text(factor)) (\(store), measured elsewhere)"
        case .memoryBudget(let bytes):
            return "\(measure.title) \(sign) memory budget + \(Format.mebibytes(Double(bytes)))"
        case .smallestSize: return times + "that at the smallest n"
        case .ours(let entries): return times + "that at n = \(Format.grouped(Double(entries)))"
        }
    }
}
