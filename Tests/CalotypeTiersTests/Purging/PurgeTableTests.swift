import CalotypeCaching
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeTiers

/// The table of purges, compared with a list of all entries.
@Suite struct PurgeTableTests {
  private static let time = Date(timeIntervalSince1970: 0)

  private static func purge(_ selection: CacheSelection?, _ mode: SharedPurge.Mode) -> SharedPurge {
    SharedPurge(selection.map { .selection($0) } ?? .all, mode: mode, time: time)
  }

  private struct Sample {
    var random: SeededGenerator

    static let sources = (0..<6).map { "https://host\($0 % 3).example\($0 > 3 ? ":8443" : "")/a/\($0).png" }
    static let tags = ["t0", "t1", "t2"]

    mutating func purge() -> SharedPurge {
      let source = Self.sources.randomElement(using: &random) ?? ""
      let tag = Self.tags.randomElement(using: &random) ?? ""
      let kinds: [CacheSelection?] = [
        .source(source), .tag(tag), .tagged(source: source, tag: tag),
        .sourcePrefix(String(source.prefix(Int.random(in: 9...28, using: &random)))),
        .host("HOST\(Int.random(in: 0...3, using: &random)).example"),
        .origin("https://host\(Int.random(in: 0...3, using: &random)).example"), .origin("nothing"), nil,
      ]
      // Purges of everything are rare.
      let kind = kinds[Int.random(in: 0..<(Bool.random(using: &random) ? 8 : 7), using: &random)]
      return PurgeTableTests.purge(kind, Bool.random(using: &random) ? .stale : .gone)
    }
  }

  /// The verdict by all entries, one by one.
  private static func expected(
    _ entries: [SharedPurge], source: String, tags: [String], at position: Int
  ) -> PurgeVerdict {
    var verdict = PurgeVerdict.valid
    for (index, entry) in entries.enumerated() where index + 1 > position {
      let matches =
        switch entry.scope {
        case .all: true
        case .selection(let selection): selection.contains(source: source, tags: tags)
        }
      guard matches else { continue }
      if entry.mode == .gone { return .gone }
      verdict = .stale
    }
    return verdict
  }

  @Test(arguments: 0..<20) func agreesWithAList(_ seed: UInt64) throws {
    var sample = Sample(random: SeededGenerator(seed: seed))
    let entries = (0..<40).map { _ in sample.purge() }
    var table = PurgeTable()
    for (index, entry) in entries.enumerated() {
      check(table.apply(entry, number: index + 1), is: .applied)
      let known = Array(entries[...index])
      for source in Sample.sources {
        for tags in [[], ["t0"], ["t1", "t2"]] {
          for position in [0, index / 2, index, index + 1] {
            #expect(
              table.verdict(source: source, tags: tags, at: position)
                == Self.expected(known, source: source, tags: tags, at: position),
              "entry \(index + 1), \(source), \(tags), \(position)")
          }
        }
      }
    }
    let bytes = try #require(PurgeEntryCoding.snapshot(of: table))
    #expect(PurgeEntryCoding.table(bytes, at: table.position) == table)
  }

  /// A small table may purge too much, never too little.
  @Test(arguments: 0..<20) func fullTablesPurgeTooMuch(_ seed: UInt64) {
    var sample = Sample(random: SeededGenerator(seed: seed))
    var limits = PurgeTable.Limits()
    (limits.entries, limits.prefixes) = (6, 3)
    var table = PurgeTable(limits: limits)
    var entries: [SharedPurge] = []
    let order: [PurgeVerdict] = [.valid, .stale, .gone]
    for number in 1...60 {
      entries.append(sample.purge())
      check(table.apply(entries[number - 1], number: number), is: .applied)
      #expect(table.count <= limits.entries)
      for source in Sample.sources {
        for position in 0...number {
          let verdict = table.verdict(source: source, tags: ["t1"], at: position)
          let least = Self.expected(entries, source: source, tags: ["t1"], at: position)
          #expect((order.firstIndex(of: verdict) ?? 0) >= (order.firstIndex(of: least) ?? 0))
        }
        #expect(table.verdict(source: source, tags: ["t1"], at: number) == .valid)
      }
    }
  }

  @Test func isBounded() {
    var table = PurgeTable()
    let long = String(repeating: "x", count: 400)
    for number in 1...60_000 {
      _ = table.apply(Self.purge(.source("\(long)\(number)"), .stale), number: number)
    }
    #expect(table.byteCount <= 10 << 20)
    #expect(table.count > 8_000)
    #expect(table.verdict(source: "other", tags: [], at: 0) == .stale)
    #expect(table.verdict(source: "other", tags: [], at: 59_000) == .valid)
    #expect(table.verdict(source: long + "59999", tags: [], at: 59_998) == .stale)
  }

  @Test func positionWaitsForMissingEntries() {
    var table = PurgeTable()
    let purge = { (number: Int) in Self.purge(.source("s\(number)"), .gone) }
    check(table.apply(purge(1), number: 1), is: .applied)
    check(table.apply(purge(4), number: 4), is: .early)
    #expect(table.position == 1)
    #expect(table.missing == [2, 3])
    // Applied although entries before it are missing: too much is right.
    #expect(table.verdict(source: "s4", tags: [], at: 1) == .gone)
    check(table.apply(purge(4), number: 4), is: .known)
    check(table.apply(purge(2), number: 2), is: .applied)
    #expect(table.position == 2)
    check(table.apply(purge(3), number: 3), is: .applied)
    #expect(table.position == 4)
    check(table.apply(purge(9), number: 9), is: .early)
    table.skip(to: 8)
    #expect(table.position == 9)
    #expect(table.missing.isEmpty)
    check(table.apply(purge(5), number: 5), is: .known)
  }

  @Test func hostileNumbersAreRefused() {
    var table = PurgeTable()
    check(table.apply(Self.purge(nil, .gone), number: .max), is: .refused)
    check(table.apply(Self.purge(nil, .gone), number: 0), is: .known)
    check(table.apply(Self.purge(nil, .gone), number: -1), is: .known)
    #expect(table.verdict(source: "s", tags: [], at: 0) == .valid)
    table.passOver(to: 1_000_000)
    #expect(table.position == 1_000_000)
    #expect(table.verdict(source: "s", tags: [], at: 999_999) == .stale)
    #expect(table.verdict(source: "s", tags: [], at: nil) == .stale)
  }

  @Test func lookUpsDoNotDependOnTheNumberOfEntries() {
    var table = PurgeTable()
    for number in 1...50_000 { _ = table.apply(Self.purge(.tag("tag-\(number)"), .stale), number: number) }
    let clock = ContinuousClock()
    let time = clock.measure {
      for number in 0..<1_000 { _ = table.verdict(source: "s\(number)", tags: ["a", "b"], at: 1) }
    }
    // A scan of the table would take a thousand times as long.
    #expect(time < .seconds(2))
  }

  // MARK: Coding

  @Test(arguments: [
    CacheSelection.source("ü"), .tagged(source: "a", tag: "b"), .sourcePrefix("https://"), .host("h"),
    .origin("https://h"), .tag("\"\\\n"), nil,
  ])
  func entriesReadBack(_ selection: CacheSelection?) throws {
    for mode in SharedPurge.Mode.allCases {
      let purge = SharedPurge(
        selection.map { .selection($0) } ?? .all, mode: mode, time: Date(timeIntervalSince1970: 1_700_000_000)
      )
      #expect(PurgeEntryCoding.decode(try PurgeEntryCoding.encode(purge)) == purge)
    }
  }

  @Test func unreadableEntriesPurgeEverything() throws {
    let texts = [
      "", "{", "null", "[]", #"{"v":2,"m":"stale","at":0}"#, #"{"v":1,"m":"x","at":0}"#,
      #"{"v":1,"m":"gone","at":0,"s":{"k":"new","t":"x"}}"#, String(repeating: "[", count: 60_000),
      String(repeating: " ", count: 70_000),
    ]
    for text in texts { #expect(PurgeEntryCoding.decode(Data(text.utf8)).scope == .all) }
    #expect(throws: CachingError.self) {
      try PurgeEntryCoding.encode(SharedPurge(.selection(.tag(String(repeating: "x", count: 70_000)))))
    }
  }

  @Test func damagedSnapshotsAreNotRead() {
    let texts = [
      "", #"{"v":1,"position":5,"stale":6,"gone":0,"marks":[]}"#,
      #"{"v":1,"position":4,"stale":0,"gone":0,"marks":[]}"#,
      #"{"v":1,"position":5,"stale":0,"gone":-1,"marks":[]}"#,
      #"{"v":1,"position":5,"stale":0,"gone":0,"marks":[{"s":{"k":"tag","t":"x"},"gone":6}]}"#,
      #"{"v":1,"position":5,"stale":0,"gone":0,"marks":[{"s":{"k":"new","t":"x"},"gone":1}]}"#,
    ]
    for text in texts { #expect(PurgeEntryCoding.table(Data(text.utf8), at: 5) == nil, "\(text)") }
    let good = #"{"v":1,"position":5,"stale":0,"gone":0,"marks":[{"s":{"k":"tag","t":"x"},"gone":5}]}"#
    let table = PurgeEntryCoding.table(Data(good.utf8), at: 5)
    #expect(table?.verdict(source: "", tags: ["x"], at: 4) == .gone)
  }
}
