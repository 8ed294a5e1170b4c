import ShalePlatform
import Testing

/// Streams that several readers take.
@Suite struct StreamHubTests {
    private let hub = StreamHub<Int>(.bufferingNewest(4))

    private func content(_ stream: AsyncStream<Int>) async -> [Int] {
        var all: [Int] = []
        for await element in stream { all.append(element) }
        return all
    }

    @Test func everyReaderGetsWhatIsSentAfterItBegan() async {
        let first = hub.stream()
        hub.send(1)
        let second = hub.stream()
        hub.send(2)
        hub.finish()
        #expect(await content(first) == [1, 2])
        #expect(await content(second) == [2])
    }

    @Test func aFinishedHubHasOnlyFinishedStreams() async {
        hub.finish()
        let stream = hub.stream()
        hub.send(1)
        #expect(await content(stream) == [])
    }
}
