import CoreMetrics
import SessionServer
import Testing

/// The text format of Prometheus.
@Suite struct PrometheusTextTests {
    private let registry = PrometheusRegistry()

    @Test func eachKindOfMetricHasItsForm() {
        Counter(label: "requests_total", dimensions: [("code", "200")], factory: registry).increment(by: 2)
        Counter(label: "requests_total", dimensions: [("code", "404")], factory: registry).increment()
        Meter(label: "users", factory: registry).set(1.5)
        let timer = Timer(label: "wait_seconds", factory: registry)
        timer.recordNanoseconds(1_500_000_000)
        timer.recordNanoseconds(500_000_000)
        #expect(
            registry.text == """
                # TYPE requests_total counter
                requests_total{code="200"} 2.0
                requests_total{code="404"} 1.0
                # TYPE users gauge
                users 1.5
                # TYPE wait_seconds summary
                wait_seconds_sum 2.0
                wait_seconds_count 2

                """)
    }

    @Test func namesAndLabelsAreEscaped() {
        Counter(label: "a.b-c", dimensions: [("d.e", "x\"y\\z\nw")], factory: registry).increment()
        #expect(registry.text == "# TYPE a_b_c counter\na_b_c{d_e=\"x\\\"y\\\\z\\nw\"} 1.0\n")
    }

    @Test func aDestroyedMetricIsGone() {
        let meter = Meter(label: "users", factory: registry)
        meter.set(1)
        meter.destroy()
        #expect(registry.text.isEmpty)
    }
}
