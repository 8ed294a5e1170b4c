import ShalePlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The thoroughness of a run: ShaleEngine.docc, "Tests". `tools/test` sets the variables.
///
/// | variable | meaning | default |
/// |---|---|---|
/// | `SHALE_RING` | `commit`, `nightly` or `release` | `commit` |
/// | `SHALE_SEED` | the first seed of random choices | 1 |
/// | `SHALE_SHARE` | `i/n`: this process runs share i of n of a step | `1/1` |
package enum Ring: String, Sendable {
    case commit, nightly, release

    package static let current: Ring = {
        guard let text = setting("SHALE_RING") else { return .commit }
        guard let ring = Ring(rawValue: text) else { preconditionFailure("SHALE_RING=\(text) is no ring") }
        return ring
    }()

    /// Returns the number for the current ring. Numbers are per share: a step of n shares runs n times as much.
    package static func choose<Number>(commit: Number, nightly: Number, release: Number) -> Number {
        switch current {
        case .commit: commit
        case .nightly: nightly
        case .release: release
        }
    }

    /// The index of this process's share, from 0, and the number of shares.
    package static let share: (index: Int, count: Int) = {
        guard let text = setting("SHALE_SHARE") else { return (0, 1) }
        let parts = text.split(separator: "/").map { Int($0) }
        guard parts.count == 2, let number = parts[0], let count = parts[1], 1...count ~= number else {
            preconditionFailure("SHALE_SHARE=\(text) is not of the form i/n")
        }
        return (number - 1, count)
    }()

    /// The first seed of random choices. Every share has another one; the first share's is `SHALE_SEED` itself.
    package static let seed: UInt64 = {
        guard let text = setting("SHALE_SEED") else { return 1 }
        guard let seed = UInt64(text) else { preconditionFailure("SHALE_SEED=\(text) is no number") }
        return seed &+ UInt64(share.index) &* 0x9E37_79B9_7F4A_7C15
    }()

    /// Returns true if this share runs the item with this number, for lists that are divided among shares.
    package static func takes(_ item: Int) -> Bool { item % share.count == share.index }

    /// The variables that reproduce a failure, for its message.
    package static let reproduction: String =
        "SHALE_RING=\(current.rawValue) SHALE_SEED=\(setting("SHALE_SEED") ?? "1") "
        + "SHALE_SHARE=\(share.index + 1)/\(share.count)"

    /// Returns the value of an environment variable.
    package static func setting(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    /// Reports what was covered, for the table at the end of `tools/test`, which adds up all reports with the same
    /// `what`. `what` is a plural noun in lower case ("crash states"); `detail` is for readers of the log.
    package static func covered(_ count: Int, _ what: String, _ detail: String = "") {
        print("COVERED \(count) \(what)\(detail.isEmpty ? "" : " | \(detail)")")
        // Flushed now, so that the line survives if the process dies later.
        _ = fflush(nil)
    }
}

/// A selection of the possible states for a test, different for every share and seed.
package struct StateSampling {
    private let seed: UInt64
    private let oneIn: Int

    package init(seed: UInt64 = 1, oneIn: Int) {
        self.seed = seed &+ Ring.seed &* 0x9FB2_1C65_1E98_DF25
        self.oneIn = oneIn
    }

    package func takes(_ point: Int, _ variant: Int = 0) -> Bool {
        if oneIn <= 1 { return true }
        return SeededRandom(seed: seed &+ UInt64(bitPattern: Int64(point)) &* 1_000_003 &+ UInt64(variant)).below(oneIn)
            == 0
    }
}
