import CalotypeCaching
import FoundationEssentials

@testable import CalotypeTiers

/// Reads the bytes as replies of Redis, in one piece and in two, and as what a node announced.
enum RESPTarget {
  static func run(_ input: FuzzInput) throws {
    let whole = outcome(of: [input.bytes[...]])
    let split = input.bytes.isEmpty ? 0 : Int(input.first) % (input.bytes.count + 1)
    let parts = outcome(of: [input.bytes[..<split], input.bytes[split...]])
    try FuzzFailure.unless(whole == parts, "\(whole) in one piece, \(parts) in two")
    for value in whole.values {
      guard let reply = try? RedisCoordinator.answer(value) else { continue }
      if case .held(let age, let left) = reply {
        try FuzzFailure.unless(age >= .zero && left >= .zero, "a lease of \(age), \(left)")
      }
    }
    var pipeline = RedisPipeline()
    for id in 0..<4 {
      _ = pipeline.add(id: id, [], deadline: .seconds(id), isSubscription: input.second & UInt8(1 << id) != 0)
    }
    if let events = try? pipeline.receive(input.bytes) {
      let ids = events.compactMap { event in if case .reply(let id, _) = event { id } else { nil } }
      try FuzzFailure.unless(ids == Array(0..<ids.count), "replies of \(ids)")
    }
    if let number = RedisPurgeChannel.parse(input.bytes) {
      try FuzzFailure.unless((1...PurgeTable.highestNumber).contains(number), "an entry \(number)")
    }
  }

  private struct Outcome: Equatable {
    var values: [RESPValue] = []
    var error: RESPError?
  }

  private static func outcome(of pieces: [ArraySlice<UInt8>]) -> Outcome {
    var parser = RESPParser()
    var outcome = Outcome()
    for piece in pieces {
      parser.append(piece)
      do throws(RESPError) {
        while let value = try parser.next() { outcome.values.append(value) }
      } catch {
        outcome.error = error
        return outcome
      }
    }
    return outcome
  }
}

/// Reads the bytes as an entry of the log of purges, and as a snapshot.
enum PurgeEntryTarget {
  static func run(_ input: FuzzInput) throws {
    let data = input.data()
    let purge = PurgeEntryCoding.decode(data)
    if let again = try? PurgeEntryCoding.encode(purge) {
      try FuzzFailure.unless(
        PurgeEntryCoding.decode(again).scope == purge.scope, "\(purge) does not read back")
    }
    var table = PurgeTable()
    try FuzzFailure.unless(table.apply(purge, number: 1) == .applied, "not applied")
    let position = Int(input.first)
    guard let snapshot = PurgeEntryCoding.table(data, at: position) else { return }
    try FuzzFailure.unless(snapshot.position == position, "another position")
    try FuzzFailure.unless(
      snapshot.verdict(source: "s", tags: ["t"], at: position) == .valid, "a purge of the future")
    guard let bytes = PurgeEntryCoding.snapshot(of: snapshot) else { return }
    try FuzzFailure.unless(PurgeEntryCoding.table(bytes, at: position) == snapshot, "another table")
  }
}
