import CoreMetrics
import Synchronization

/// A metrics backend that keeps all series and prints them in the text format of Prometheus, version 0.0.4.
///
/// Timers become summaries of seconds (`_sum` and `_count`), recorders summaries of their values, meters gauges.
/// Thread-safe.
public final class PrometheusRegistry: MetricsFactory {
    private struct ID: Hashable {
        let name: String
        let labels: String
    }

    private let series = Mutex<[ID: Series]>([:])

    public init() {}

    /// The series as text, ordered by name and labels.
    public var text: String {
        let all = series.withLock { $0 }.sorted { ($0.key.name, $0.key.labels) < ($1.key.name, $1.key.labels) }
        var text = ""
        var last = ""
        for (id, series) in all {
            if id.name != last { text += "# TYPE \(id.name) \(series.kind.rawValue)\n" }
            last = id.name
            text += series.lines(id.name, id.labels)
        }
        return text
    }

    private func make(_ kind: Series.Kind, _ label: String, _ dimensions: [(String, String)]) -> Series {
        let labels = dimensions.map { "\(PrometheusRegistry.name($0.0))=\"\(PrometheusRegistry.escaped($0.1))\"" }
        let id = ID(name: PrometheusRegistry.name(label), labels: labels.joined(separator: ","))
        return series.withLock { all in
            if let series = all[id], series.kind == kind { return series }
            let series = Series(kind)
            all[id] = series
            return series
        }
    }

    private func remove(_ handler: AnyObject) {
        series.withLock { all in all = all.filter { $0.value !== handler } }
    }

    /// Replaces the characters that names may not have.
    private static func name(_ text: String) -> String {
        String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") ? $0 : "_" })
    }

    private static func escaped(_ text: String) -> String {
        text.map { character in
            switch character {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            default: String(character)
            }
        }.joined()
    }

    // MARK: MetricsFactory

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        make(.counter, label, dimensions)
    }

    public func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        make(.counter, label, dimensions)
    }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        make(.gauge, label, dimensions)
    }

    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        make(aggregate ? .summary : .gauge, label, dimensions)
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        make(.summary, label, dimensions)
    }

    public func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { remove(handler) }
    public func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
    public func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
    public func destroyTimer(_ handler: any TimerHandler) { remove(handler) }
}

/// One series of any kind. Thread-safe.
private final class Series: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    enum Kind: String, Sendable { case counter, gauge, summary }

    private struct State {
        /// The total of a counter, the value of a gauge, the sum of a summary.
        var value = 0.0
        var count = 0
    }

    let kind: Kind
    private let state = Mutex(State())

    init(_ kind: Kind) { self.kind = kind }

    func lines(_ name: String, _ labels: String) -> String {
        let state = state.withLock { $0 }
        let suffix = labels.isEmpty ? "" : "{\(labels)}"
        guard kind == .summary else { return "\(name)\(suffix) \(state.value)\n" }
        return "\(name)_sum\(suffix) \(state.value)\n\(name)_count\(suffix) \(state.count)\n"
    }

    private func add(_ amount: Double) {
        state.withLock { state in
            state.value += amount
            state.count += 1
        }
    }

    func increment(by amount: Int64) { add(Double(amount)) }
    func increment(by amount: Double) { add(amount) }
    func decrement(by amount: Double) { add(-amount) }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { state.withLock { $0.value = value } }
    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { kind == .gauge ? set(value) : add(value) }
    func recordNanoseconds(_ duration: Int64) { add(Double(duration) / 1e9) }
    func reset() { state.withLock { $0 = State() } }
}
