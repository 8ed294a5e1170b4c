import ShaleBase

extension KeyPart {
    /// Finds the newest version of `key` with sequence ≤ `limit`, as ``DataBlock/find(_:through:)`` does.
    ///
    /// - Complexity: O(log entries), and in groups of suffixes another 16.
    func find(_ key: Bytes, through limit: SequenceNumber) throws(ParseFailure) -> DataBlock.Lookup {
        guard key.starts(with: prefix) else { return .absent }
        let wanted = key.suffix(from: fields.prefixCount)
        return keyLengthWidth == 0 ? findFixed(wanted, limit) : try findInGroups(wanted, limit)
    }

    /// Returns the first entry with key ≥ `key`, or the number of entries, as ``DataBlock/lowerBound(_:)`` does.
    ///
    /// - Complexity: O(log entries), and in groups of suffixes another 16.
    func lowerBound(_ key: Bytes) throws(ParseFailure) -> Int {
        guard key.starts(with: prefix) else { return Bytes.compare(key, prefix) <= 0 ? 0 : count }
        let wanted = key.suffix(from: fields.prefixCount)
        guard keyLengthWidth > 0 else { return lowerBoundFixed(wanted) }
        return try groups().lowerBound(wanted)?.index ?? count
    }

    private func lowerBoundFixed(_ wanted: Bytes) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low &+ high) &>> 1
            if Bytes.compare(fixedSuffix(middle), wanted) < 0 { low = middle &+ 1 } else { high = middle }
        }
        return low
    }

    private func findFixed(_ wanted: Bytes, _ limit: SequenceNumber) -> DataBlock.Lookup {
        var low = lowerBoundFixed(wanted)
        while low < count {
            guard fixedSuffix(low) == wanted else { return .absent }
            if sequence(low) <= limit { return .found(low) }
            low &+= 1
        }
        return .undecided
    }

    private func findInGroups(_ wanted: Bytes, _ limit: SequenceNumber) throws(ParseFailure) -> DataBlock.Lookup {
        let groups = try groups()
        guard var place = try groups.lowerBound(wanted) else { return .undecided }
        guard place.isEqual else { return .absent }
        while true {
            if sequence(place.index) <= limit { return .found(place.index) }
            guard let next = try groups.place(after: place, equalTo: wanted) else { return .undecided }
            guard next.isEqual else { return .absent }
            place = next
        }
    }
}
