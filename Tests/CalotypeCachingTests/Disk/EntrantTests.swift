import CalotypeSupport
import FoundationEssentials
import Testing

@testable import CalotypeCaching

/// Stores of many sizes wait in the order they came.
@Suite("Stores that wait for room")
struct EntrantTests {
  @Test("stores that wait for room are not overtaken by smaller ones that come later")
  func entrants() throws {
    let staging = StagingArea(byteLimit: 100)
    func record(_ name: String, _ weight: Int) -> StagedRecord {
      StagedRecord(
        key: CacheKey(name), content: .data(Data(), RecordMetadata(), nil),
        created: Date(timeIntervalSince1970: 0),
        weight: weight)
    }
    let (first, large, small) = (record("a", 60), record("b", 80), record("c", 30))
    _ = staging.add(first)
    _ = staging.add(large, waitingFor: CallWaiter<Void>())
    let entry = CallWaiter<Void>()
    if case .full = staging.add(small, waitingFor: entry) {} else { Issue.record("it came in before") }
    _ = staging.take(10)
    staging.finish(first)
    #expect(staging.entrantCount == 1 && !entry.isResolved)
  }
}
