import Benchmark
import _ShaleHotPaths

/// The time per operation of the engine's hot functions, under the loads whose instructions `tools/gate` counts.
let benchmarks: @Sendable () -> Void = {
    for path in HotPath.all {
        // A seek takes a thousand times as long as a filter probe.
        let factor: BenchmarkScalingFactor = path.gateOperations < 10_000 ? .kilo : .mega
        let configuration = Benchmark.Configuration(
            metrics: [.wallClock, .throughput], scalingFactor: factor, maxDuration: .seconds(2))
        Benchmark(path.name, configuration: configuration) { (benchmark: Benchmark, prepared: PreparedHotPath) throws in
            blackHole(try prepared.run(benchmark.scaledIterations.count))
        } setup: {
            try path.prepare()
        }
    }
}
