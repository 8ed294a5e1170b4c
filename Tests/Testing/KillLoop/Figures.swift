/// The counts of what a run has covered.
struct Figures {
    var lives = 0
    var cycles = 0
    var acknowledged = 0
    var replayed: UInt64 = 0
    var verifications = 0
    var checkpoints = 0

    mutating func add(_ other: Figures) {
        lives += other.lives
        cycles += other.cycles
        acknowledged += other.acknowledged
        replayed += other.replayed
        verifications += other.verifications
        checkpoints += other.checkpoints
    }

    func summary(seconds: Double) -> String {
        let rate = (Double(cycles) / max(seconds, 0.001) * 10).rounded() / 10
        return "kill loop: \(cycles) cycles over \(lives) stores, \(acknowledged) acknowledged actions, "
            + "\(replayed) batches replayed, \(verifications) verifications, \(checkpoints) checkpoints opened, "
            + "\(rate) cycles/s"
    }
}
