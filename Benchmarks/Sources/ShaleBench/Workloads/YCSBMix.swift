/// The operations of one of YCSB's core workloads. The rest to 100 % are gets.
struct YCSBMix: Sendable {
    enum Choice: Sendable {
        /// Zipfian frequency, spread over all items.
        case zipfian
        /// Zipfian frequency, with the newest items as the most frequent.
        case latest
    }

    var updatePercent = 0
    var insertPercent = 0
    var scanPercent = 0
    var modifyPercent = 0
    var choice = Choice.zipfian

    /// The maximal number of entries of a scan; lengths are uniformly distributed.
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
