import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Glibc

@testable import CalotypeCaching

/// What a process does to a cache before it dies, and what may be there afterwards.
struct CacheScript {
  enum Step: Sendable {
    case store(Int, bytes: Int)
    case remove(Int)
    case clear
    case clearTag
    case trim
  }

  /// For each key the numbers it may have after all that happened; `nil` for no record.
  private(set) var possible = [Set<Int?>](repeating: [nil], count: keys)
  /// The key that was stored last and confirmed, if nothing was removed since.
  private(set) var newest: Int?
  /// How many steps failed.
  private(set) var failures: [any Error] = []
  private var number = 0
  /// Whether few contents are stored under all keys, so that records share them.
  let isShared: Bool

  init(isShared: Bool = false) { self.isShared = isShared }

  /// From which on payloads are shared in these tests.
  static let sharedPayloadBytes = 400

  static let keys = 12
  static func key(_ index: Int) -> CacheKey { CacheKey("key \(index)") }

  /// Stores, replacements by longer and shorter ones, removals, and all that empties a cache.
  static let steps: [Step] = {
    var steps: [Step] = (0..<44).map { step in
      let size = 500 + step * 1237 % 3000
      return step % 9 == 8 ? .remove(step * 5 % keys) : .store(step * 7 % (keys - step % 3), bytes: size)
    }
    steps.insert(.trim, at: 40)
    steps.insert(.clear, at: 33)
    steps.insert(.clearTag, at: 21)
    return steps
  }()

  /// Does one step after the other, to the end or until one fails.
  mutating func run(_ cache: DiskCache, _ time: ManualTime, stops: Bool = true) async {
    for step in Self.steps {
      time.advance(by: .seconds(1))
      do {
        try await perform(step, cache)
      } catch {
        failures.append(error)
        if stops { return }
      }
    }
  }

  private mutating func perform(_ step: Step, _ cache: DiskCache) async throws {
    switch step {
    case .store(let index, let size):
      number += 1
      possible[index].insert(number)
      let size = isShared ? 600 + number % 3 * 500 : size
      let seed = isShared ? number % 3 : number
      try await cache.store(
        bytes(size, seed: UInt64(seed)),
        metadata: RecordMetadata(
          tags: number % 2 == 0 ? ["even"] : [],
          user: ["number": String(number), "size": String(size), "seed": String(seed)]),
        for: Self.key(index))
      possible[index] = [number]
      newest = index
    case .remove(let index):
      newest = nil
      possible[index].insert(nil)
      try await cache.remove(Self.key(index))
      possible[index] = [nil]
    case .clear:
      newest = nil
      for index in possible.indices { possible[index].insert(nil) }
      try await cache.removeAll()
      for index in possible.indices { possible[index] = [nil] }
    case .clearTag:
      newest = nil
      for index in possible.indices where possible[index].contains(where: { $0.map { $0 % 2 == 0 } ?? false })
      {
        possible[index].insert(nil)
      }
      try await cache.removeAll(.tag("even"))
      for index in possible.indices {
        possible[index] = Set(possible[index].map { $0.flatMap { $0 % 2 == 0 ? nil : $0 } })
      }
    case .trim:
      try await cache.trim()
    }
  }

  /// The number of a record; -1 for one that was never stored.
  static func number(of record: CacheRecord?) -> Int? {
    guard let record else { return nil }
    guard let number = record.metadata.user["number"].flatMap({ Int($0) }),
      let size = record.metadata.user["size"].flatMap({ Int($0) }),
      let seed = record.metadata.user["seed"].flatMap({ UInt64($0) }),
      record.data == bytes(size, seed: seed)
    else { return -1 }
    return number
  }
}

extension TemporaryFolder {
  /// Length and number of the records, shared payloads included for each, and the length of the one that is being written,
  /// by walking the folder.
  func walk() -> (bytes: Int, count: Int, unfinished: Int) {
    let files = POSIXFileSystem()
    let root = cache.appending(path: "v2").path
    var (bytes, count) = (0, 0)
    for fanOut in CacheLayout.fanOut {
      try? files.list("\(root)/\(fanOut)") { name, status in
        bytes += status.size
        if name.utf8.count == 62 { count += 1 }
      }
    }
    let unfinished = (try? files.status("\(root)/tmp/new"))??.size ?? 0
    return (bytes, count, unfinished)
  }
}
