import SeededNumbers
import Testing

@testable import CalotypeResults

@Suite("Purges and work that began before them")
struct PurgeTableTests {
  static let facts = ResultFacts(identity: "i", source: "http://a/b", tags: ["t", "u"])

  @Test(
    arguments: [
      .all, .identity("i"), .source("http://a/b"), .prefix("http://a/"), .prefix("http://a/b"), .prefix(""),
      .tag("u"),
    ] as [PurgeSelection])
  func workBeforeAPurgeCannotStore(selection: PurgeSelection) {
    var table = PurgeTable()
    table.purge(.tag("other"))
    let start = table.generation
    #expect(table.isValid(Self.facts, since: start))
    let purge = table.purge(selection)
    #expect(!table.isValid(Self.facts, since: start) && table.isValid(Self.facts, since: purge))
    table.purge(.tag("other"))
    #expect(!table.isValid(Self.facts, since: start) && table.isValid(Self.facts, since: purge))
  }

  @Test(
    arguments: [
      .identity("I"), .source("http://a/"), .source("http://a/bc"), .prefix("http://a/bc"), .tag("v"),
      .identity("t"),
    ] as [PurgeSelection])
  func othersAreNotAffected(selection: PurgeSelection) {
    var table = PurgeTable()
    table.purge(selection)
    #expect(table.isValid(Self.facts, since: 0))
  }

  /// Against a list of all purges: never more lenient, and exact while there are no more purges than the capacity.
  @Test(arguments: [(1, 5), (2, 20), (3, 100), (4, 100_000), (5, 0)] as [(UInt64, Int)])
  func agreesWithAList(seed: UInt64, capacity: Int) {
    var random = Seeded(seed)
    var table = PurgeTable(capacity: capacity)
    var model: [(generation: Int, selection: PurgeSelection)] = []
    var smallestStart = 0
    func name() -> String { String("abcde".prefix(Int.random(in: 1...5, using: &random))) }
    func source() -> String { "http://" + (0..<3).map { _ in name() }.joined(separator: "/") }
    for _ in 0..<3000 {
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<30:
        let selection: PurgeSelection =
          switch Int.random(in: 0..<60, using: &random) {
          case 0: .all
          case 1..<15: .identity(name())
          case 15..<30: .source(source())
          case 30..<45: .prefix(String(source().prefix(Int.random(in: 7...20, using: &random))))
          default: .tag(name())
          }
        let generation = table.purge(selection)
        #expect(generation == (model.last?.generation ?? 0) + 1)
        model.append((generation, selection))
      case 30..<32:
        smallestStart = Int.random(in: smallestStart...table.generation, using: &random)
        table.forget(before: smallestStart)
      default:
        let facts = ResultFacts(identity: name(), source: source(), tags: [name(), name()])
        let start = Int.random(in: smallestStart...table.generation, using: &random)
        let isPurged = model.contains { $0.generation > start && $0.selection.contains(facts) }
        let isValid = table.isValid(facts, since: start)
        if isPurged { #expect(!isValid) }
        if capacity > 3000 { #expect(isValid == !isPurged) }
      }
      #expect(table.count <= capacity)
    }
  }

  @Test func longTextsAndManyLengthsSelectMore() {
    var table = PurgeTable()
    let long = String(repeating: "a", count: 10_000)
    table.purge(.prefix(long))
    #expect(table.count == 1 && !table.isValid(ResultFacts(identity: "", source: long), since: 0))
    #expect(table.isValid(Self.facts, since: 0))
    table.purge(.tag(long))
    #expect(!table.isValid(Self.facts, since: 0) && table.count == 0)
    for length in 1...PurgeTable.maximumLengths {
      table.purge(.prefix(String(repeating: "x", count: length)))
    }
    let start = table.generation
    #expect(table.isValid(Self.facts, since: start - 1))
    table.purge(.prefix(String(repeating: "x", count: PurgeTable.maximumLengths + 1)))
    #expect(!table.isValid(Self.facts, since: start))
  }

  /// Text is compared by its bytes, not as Unicode.
  @Test func bytesDecide() {
    var table = PurgeTable()
    table.purge(.prefix("http://a/e"))
    table.purge(.source("http://a/\u{E9}"))
    #expect(!table.isValid(ResultFacts(identity: "", source: "http://a/e\u{301}x"), since: 0))
    #expect(table.isValid(ResultFacts(identity: "", source: "http://b/e\u{301}"), since: 0))
  }
}
