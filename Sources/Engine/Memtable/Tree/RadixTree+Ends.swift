import ShaleBase

extension RadixTree {
    /// The entry with the smallest key.
    var smallest: StoredEntry? { smallest(below: root) }

    /// The entry with the smallest key below the middle child of the topmost node with several children.
    var middle: StoredEntry? {
        var reference = root
        while !reference.isNone, !reference.isEntry {
            let node = node(reference)
            if node.childTotal > 1 { return smallest(below: node.middleChild) }
            // The other child is the entry that ends at this node.
            reference = node.outermostChild(largest: true)
        }
        return nil
    }

    private func smallest(below top: NodeReference) -> StoredEntry? {
        var reference = top
        while !reference.isEntry {
            if reference.isNone { return nil }
            let node = node(reference)
            let end = node.slot(Node.endOffset)
            reference = end.isNone ? node.outermostChild(largest: false) : end
        }
        return entry(reference)
    }

    /// The entry with the largest key.
    var largest: StoredEntry? {
        var reference = root
        while !reference.isEntry {
            if reference.isNone { return nil }
            reference = node(reference).outermostChild(largest: true)
        }
        return entry(reference)
    }
}

extension Node {
    /// The number of children under bytes.
    fileprivate var childTotal: Int {
        if isSmall { return childCount }
        return (0..<256).count { !largeChild($0).isNone }
    }

    /// The child with as many children before it as after. Requires a node with children.
    fileprivate var middleChild: NodeReference {
        let rank = childTotal / 2
        if isSmall {
            for index in 0..<childCount {
                let before = (0..<childCount).count { smallKeyByte($0) < smallKeyByte(index) }
                if before == rank { return smallSlot(index) }
            }
            return .none
        }
        let present = (0..<256).lazy.map { largeChild($0) }.filter { !$0.isNone }
        return present.dropFirst(rank).first ?? .none
    }

    /// Returns the child under the smallest or largest byte. Every published node has a child.
    fileprivate func outermostChild(largest: Bool) -> NodeReference {
        if isSmall {
            var best = 0
            for index in 1..<max(1, childCount) {
                let isLarger = smallKeyByte(index) > smallKeyByte(best)
                if isLarger == largest { best = index }
            }
            return smallSlot(best)
        }
        for step in 0..<256 {
            let child = largeChild(largest ? 255 - step : step)
            if !child.isNone { return child }
        }
        return .none
    }
}
