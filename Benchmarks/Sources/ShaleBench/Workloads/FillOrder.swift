import ShaleEngine

/// In which order keys are written.
enum FillOrder: Sendable {
    case ascending
    case shuffled(Permutation)

    @inline(__always)
    subscript(position: Int) -> Int {
        switch self {
        case .ascending: position
        case .shuffled(let permutation): permutation[position]
        }
    }
}

extension Target {
    /// Puts the keys at `positions` of `order`, one by one.
    func put(
        _ positions: Range<Int>, in order: FillOrder, generation: UInt64, began: UInt64,
        durability: Durability = .buffered
    ) throws -> LatencyRecorder {
        var key = KeyBuffer(byteCount: keyBytes)
        var recorder = LatencyRecorder(began: began)
        for position in positions {
            let index = order[position]
            key.set(index)
            try engine.put(values.value(index, generation), forKey: key.span, in: namespace, durability: durability)
            recorder.finish()
        }
        return recorder
    }
}
