import SeededNumbers
import Testing

@testable import CalotypeAdmission

@Suite("Trees that sum up weights")
struct OrderTreeTests {
  /// Against an array, with equal keys, in random, ascending and descending order.
  @Test(arguments: [1, 2, 3, 4] as [UInt64]) func agreesWithAnArray(seed: UInt64) {
    var random = Seeded(seed)
    var tree = OrderTree()
    var model: [(entry: OrderTree.Entry, weight: Int64)] = []
    for id in 0..<2000 {
      if Int.random(in: 0..<3, using: &random) == 0, !model.isEmpty {
        let victim = model.remove(at: Int.random(in: model.indices, using: &random))
        tree.remove(victim.entry)
      } else {
        let key =
          switch seed {
          case 1: Int64(id)
          case 2: Int64(-id)
          default: Int64.random(in: -50...50, using: &random)
          }
        let entry = OrderTree.Entry(key: key, id: id)
        tree.insert(entry, weight: key)
        model.append((entry, key))
      }
      let key = Int64.random(in: -60...60, using: &random)
      let below = model.filter { $0.entry.key < key }
      let found = tree.below(key)
      #expect(found.count == below.count && found.sum == below.reduce(0) { $0 + $1.weight })
      #expect(tree.sumOfMinima(with: key) == model.reduce(0) { $0 + min(key, $1.entry.key) })
      #expect(tree.first?.entry == model.map(\.entry).min())
      #expect(tree.count == model.count && tree.sum == model.reduce(0) { $0 + $1.weight })
    }
  }

  @Test func differencesOfSumsAreExactBeyondTheRange() {
    var tree = OrderTree()
    for id in 0..<10 { tree.insert(OrderTree.Entry(key: .max / 2 - 1, id: id), weight: .max / 2 - 1) }
    #expect(tree.sumOfMinima(with: .max / 2) &- tree.sumOfMinima(with: .max / 2 - 4) == 30)
  }
}
