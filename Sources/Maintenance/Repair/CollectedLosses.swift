/// The losses of one repair, in the order in which they were found.
final class CollectedLosses {
    private(set) var losses: [Loss]

    init(_ losses: [Loss]) { self.losses = losses }

    func add(_ loss: Loss) { losses.append(loss) }
}
