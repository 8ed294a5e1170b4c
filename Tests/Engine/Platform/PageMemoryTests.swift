import ShaleBase
import ShalePlatform
import Testing

@Suite struct PageMemoryTests {
    @Test func memoryIsAlignedZeroAndWritableToItsEnd() throws {
        let memory = try PageMemory(reserving: 5 << 20)
        #expect(memory.count == 6 << 20)
        #expect(unsafe UInt(bitPattern: memory.start) % UInt(PageMemory.alignment) == 0)
        #expect(memory.mutableBytes[memory.count - 1] == 0)
        memory.mutableBytes[memory.count - 1] = 7
        memory.mutableBytes[0] = 9
        #expect(memory.mutableBytes[memory.count - 1] == 7)
        memory.discard()
        memory.mutableBytes[0] = 1
        #expect(memory.mutableBytes[0] == 1)
        #if os(Linux)
            #expect(memory.mutableBytes[memory.count - 1] == 0)
        #endif
    }

    @Test func aReservationIsNotAUseOfMemory() throws {
        let memory = try PageMemory(reserving: 1 << 38)
        memory.mutableBytes[1 << 37] = 1
        #expect(memory.mutableBytes[1 << 37] == 1)
    }

    @Test(arguments: [0, -1, Int.max, 1 << 60])
    func anImpossibleSizeIsAnError(_ bytes: Int) {
        #expect(throws: IOFailure.self) { _ = try PageMemory(reserving: bytes) }
    }
}
