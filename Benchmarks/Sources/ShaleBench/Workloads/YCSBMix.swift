/// What one of YCSB's core workloads consists of. The rest to 100 % are gets.
struct YCSBMix: Sendable {
    enum Choice: Sendable {
        /// Of zipfian frequency, spread over all items.
        case zipfian
        /// The same, but the newest items are the most frequent.
        case latest
    }

    var updatePercent = 0
    var insertPercent = 0
    var scanPercent = 0
    var modifyPercent = 0
    var choice = Choice.zipfian

    /// Entries of a scan, evenly distributed.
    static let scanMax = 100

    init?(_ workload: Workload) {
        switch workload {
        case .ycsba: updatePercent = 50
        case .ycsbb: updatePercent = 5
        case .ycsbc: break
        case .ycsbd: (insertPercent, choice) = (5, .latest)
        case .ycsbe: (insertPercent, scanPercent) = (5, 95)
        case .ycsbf: modifyPercent = 50
        default: return nil
        }
    }

    var writesAnything: Bool { updatePercent + insertPercent + modifyPercent > 0 }
}
