import Foundation
import TestSupport

/// Checks that opening and reading a damaged store takes little time and memory (contract X-2).
struct ResourceWatch {
    private static let durationMax = Duration.seconds(10)

    /// The process's memory is only meaningful if nothing else runs in it, which is not so in the commit ring.
    private static let watchesMemory = Ring.current != .commit
    /// Memory besides the budget: buffers of the test and of the allocator.
    private static let slackBytes = 8 << 20

    private let budget: Int
    private var began = ContinuousClock.now
    private var residentBytes = 0

    init(budget: Int) { self.budget = budget }

    mutating func begin() {
        began = .now
        guard ResourceWatch.watchesMemory else { return }
        ResourceWatch.forgetPeak()
        residentBytes = ResourceWatch.status("VmRSS:")
    }

    /// Returns a problem if too much was used since ``begin()``; `nil` otherwise.
    func problem() -> String? {
        let duration = ContinuousClock.now - began
        guard duration <= ResourceWatch.durationMax else { return "it took \(duration)" }
        guard ResourceWatch.watchesMemory else { return nil }
        let growth = ResourceWatch.status("VmHWM:") - residentBytes
        guard growth <= 2 * budget + ResourceWatch.slackBytes else { return "it took \(growth) bytes of memory" }
        return nil
    }

    /// Resets the kernel's peak of the resident memory. Linux only; elsewhere nothing is measured.
    private static func forgetPeak() {
        guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return }
        file.write(Data("5".utf8))
    }

    private static func status(_ field: String) -> Int {
        guard let data = FileManager.default.contents(atPath: "/proc/self/status") else { return 0 }
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") where line.hasPrefix(field) {
            return (Int(line.filter(\.isNumber)) ?? 0) << 10
        }
        return 0
    }
}
