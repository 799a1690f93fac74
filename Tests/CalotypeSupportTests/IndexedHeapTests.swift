import CalotypeSupport
import CalotypeTestKit
import Testing

@Suite("Priority queue of identified elements")
struct IndexedHeapTests {
  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func agreesWithADictionary(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var heap = IndexedHeap<Int, Int>()
    var model: [Int: Int] = [:]
    for _ in 0..<3_000 {
      let id = Int.random(in: 0..<60, using: &random)
      if Int.random(in: 0..<3, using: &random) == 0 {
        let (removed, expected) = (heap.remove(id), model.removeValue(forKey: id))
        #expect(removed == expected)
      } else {
        let key = Int.random(in: 0..<1_000, using: &random)
        heap.update(id, key)
        model[id] = key
      }
      #expect(heap.count == model.count && heap.isEmpty == model.isEmpty)
      #expect(heap.first?.key == model.values.max())
      #expect(heap.first.map { model[$0.id] == $0.key } ?? true)
      #expect(heap[id] == model[id])
    }
    var order: [Int] = []
    while let first = heap.first {
      order.append(first.key)
      heap.remove(first.id)
    }
    #expect(order == model.values.sorted(by: >))
  }
}
