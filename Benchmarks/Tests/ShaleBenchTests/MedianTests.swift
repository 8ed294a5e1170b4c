import Testing

@testable import ShaleBench

struct MedianTests {
    @Test func medians() {
        #expect([Double]().median == 0)
        #expect([3.0].median == 3)
        #expect([9.0, 1].median == 5)
        #expect([9.0, 1, 2].median == 2)
    }
}
