import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeTiers

/// RESP3, read and written.
@Suite struct RESPTests {
  private func parse(_ text: String, limits: RESPParser.Limits = .init()) throws -> [RESPValue] {
    var parser = RESPParser(limits: limits)
    parser.append(text.utf8)
    var values: [RESPValue] = []
    while let value = try parser.next() { values.append(value) }
    return values
  }

  private static func text(_ value: String) -> RESPValue { .string(Array(value.utf8)) }

  static let examples: [(String, RESPValue)] = [
    ("+OK\r\n", text("OK")), ("+\r\n", text("")), ("-ERR no\r\n", .error(Array("ERR no".utf8))),
    (":-12\r\n", .integer(-12)), (":+7\r\n", .integer(7)), ("$5\r\nhe\r\no\r\n", text("he\r\no")),
    ("$0\r\n\r\n", text("")), ("$-1\r\n", .null), ("*-1\r\n", .null), ("_\r\n", .null),
    ("#t\r\n", .boolean(true)),
    ("#f\r\n", .boolean(false)), (",1.5\r\n", .double(1.5)), (",inf\r\n", .double(.infinity)),
    ("(12345678901234567890123\r\n", .bigNumber(Array("12345678901234567890123".utf8))),
    ("!4\r\nERR!\r\n", .error(Array("ERR!".utf8))), ("=7\r\ntxt:abc\r\n", text("abc")),
    ("*2\r\n:1\r\n*1\r\n+a\r\n", .array([.integer(1), .array([text("a")])])), ("*0\r\n", .array([])),
    ("~1\r\n:1\r\n", .array([.integer(1)])), ("%1\r\n+k\r\n:1\r\n", .map([text("k"), .integer(1)])),
    ("%0\r\n", .map([])), (">2\r\n+message\r\n+x\r\n", .push([text("message"), text("x")])),
    ("|1\r\n+ttl\r\n:1\r\n+OK\r\n", text("OK")),
    ("*1\r\n|1\r\n+a\r\n*1\r\n:1\r\n:2\r\n", .array([.integer(2)])),
    ("|0\r\n:3\r\n", .integer(3)),
  ]

  @Test(arguments: examples.indices) func reads(_ index: Int) throws {
    let (text, value) = Self.examples[index]
    #expect(try parse(text) == [value])
    // In pieces of every size, and followed by another.
    let bytes = Array((text + ":9\r\n").utf8)
    for size in 1...bytes.count {
      var parser = RESPParser()
      var values: [RESPValue] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        parser.append(bytes[start..<min(start + size, bytes.count)])
        while let value = try parser.next() { values.append(value) }
      }
      #expect(values == [value, .integer(9)], "pieces of \(size)")
      #expect(parser.pending == 0)
    }
  }

  @Test(arguments: [
    "x\r\n", "\r\n", "+a\n", ":\r\n", ":1x\r\n", ":99999999999999999999\r\n", "$-2\r\n", "$3\r\nabcd\r\n",
    "#x\r\n",
    ",x\r\n", ",\r\n", "(1.5\r\n", "_x\r\n", "*1\r\n>1\r\n+a\r\n", ">0\r\n", "$?\r\n", "*?\r\n",
    "=3\r\nabc\r\n",
    "+a\rb\r\n", "*-2\r\n", "$1048577\r\n", "*5000\r\n", "%2049\r\n", "$99999999999\r\n",
  ])
  func refuses(_ text: String) {
    var parser = RESPParser()
    parser.append(text.utf8)
    #expect(throws: RESPError.self) { try parser.next() }
    // For good, and without keeping anything.
    parser.append("+OK\r\n".utf8)
    #expect(throws: RESPError.self) { try parser.next() }
    #expect(parser.pending == 0)
  }

  @Test func isBounded() throws {
    #expect(throws: RESPError.tooDeep) { try parse(String(repeating: "*1\r\n", count: 9)) }
    #expect(try parse(String(repeating: "*1\r\n", count: 8) + ":1\r\n").count == 1)
    #expect(throws: RESPError.tooLarge) { try parse("+" + String(repeating: "x", count: 17 << 10)) }
    #expect(throws: RESPError.tooLarge) {
      try parse(
        "*8\r\n" + String(repeating: "*4096\r\n" + String(repeating: "_\r\n", count: 4_096), count: 8))
    }
    var limits = RESPParser.Limits()
    limits.bytes = 100
    #expect(throws: RESPError.tooLarge) {
      try parse(
        "*2\r\n$60\r\n" + String(repeating: "x", count: 60) + "\r\n$60\r\n"
          + String(repeating: "x", count: 60) + "\r\n", limits: limits)
    }
  }

  @Test func commandsAreArraysOfStrings() throws {
    let command = RESPCommand("SET", "ü", "a\r\nb")
    #expect(
      String(decoding: command.encoded, as: UTF8.self) == "*3\r\n$3\r\nSET\r\n$2\r\nü\r\n$4\r\na\r\nb\r\n")
    #expect(
      try parse(String(decoding: command.encoded, as: UTF8.self)) == [
        .array([Self.text("SET"), Self.text("ü"), Self.text("a\r\nb")])
      ])
  }

  /// Mutations of replies and random bytes: the same values in one piece and in many, no crash, no more memory than bounds.
  /// `CALOTYPE_RESP_RUNS` sets the number of runs.
  @Test func survivesHostileBytes() throws {
    let runs = ProcessInfo.processInfo.environment["CALOTYPE_RESP_RUNS"].flatMap { Int($0) } ?? 5_000
    var random = SeededGenerator(seed: 7)
    let alphabet = Array("+-:$*~%>|_#,(!=0123456789\r\n\r\nt".utf8)
    for run in 0..<runs {
      var bytes: [UInt8] = []
      if run % 2 == 0 {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          bytes += Self.examples[Int.random(in: 0..<Self.examples.count, using: &random)].0.utf8
        }
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = alphabet.randomElement(using: &random) ?? 0
        }
      } else {
        for _ in 0..<Int.random(in: 0...60, using: &random) {
          bytes.append(alphabet.randomElement(using: &random) ?? 0)
        }
      }
      let whole = Self.outcome(bytes, pieces: [bytes.count])
      let split = Int.random(in: 0...bytes.count, using: &random)
      let parts = Self.outcome(bytes, pieces: [split, bytes.count - split])
      #expect(whole.values == parts.values && whole.error == parts.error, "\(bytes)")
    }
  }

  private static func outcome(_ bytes: [UInt8], pieces: [Int]) -> (values: [RESPValue], error: RESPError?) {
    var parser = RESPParser()
    var values: [RESPValue] = []
    var offset = 0
    for piece in pieces {
      parser.append(bytes[offset..<offset + piece])
      offset += piece
      do throws(RESPError) {
        while let value = try parser.next() { values.append(value) }
      } catch {
        return (values, error)
      }
    }
    return (values, nil)
  }
}

/// The commands on a connection, without one.
@Suite struct RedisPipelineTests {
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test func repliesComeInOrder() throws {
    var pipeline = RedisPipeline()
    for id in 1...3 { check(pipeline.add(id: id, [UInt8(id)], deadline: .milliseconds(100 * id)), is: true) }
    #expect(Array(pipeline.outgoing) == [1, 2, 3])
    pipeline.sent(2)
    #expect(Array(pipeline.outgoing) == [3])
    check(
      try pipeline.receive(bytes("+a\r\n>3\r\n+message\r\n+c\r\n+p\r\n+b\r\n")),
      is: [
        .reply(id: 1, .string(bytes("a"))), .message(channel: bytes("c"), payload: bytes("p")),
        .reply(id: 2, .string(bytes("b"))),
      ])
    #expect(pipeline.count == 1)
    #expect(pipeline.abandoned() == [3])
  }

  @Test func lateRepliesAreDropped() throws {
    var pipeline = RedisPipeline()
    _ = pipeline.add(id: 1, [], deadline: .milliseconds(100))
    _ = pipeline.add(id: 2, [], deadline: .milliseconds(200))
    #expect(pipeline.nextDeadline == .milliseconds(100))
    check(pipeline.expire(at: .milliseconds(99)), is: [])
    check(pipeline.expire(at: .milliseconds(100)), is: [1])
    check(pipeline.expire(at: .milliseconds(100)), is: [])
    #expect(pipeline.nextDeadline == .milliseconds(200))
    check(try pipeline.receive(bytes(":1\r\n:2\r\n")), is: [.lateReply, .reply(id: 2, .integer(2))])
    #expect(pipeline.nextDeadline == nil)
  }

  @Test func subscriptionsAreConfirmedByPushes() throws {
    var pipeline = RedisPipeline()
    _ = pipeline.add(id: 1, [], deadline: .seconds(1), isSubscription: true)
    _ = pipeline.add(id: 2, [], deadline: .seconds(1))
    check(
      try pipeline.receive(bytes(">3\r\n+subscribe\r\n+c\r\n:1\r\n:5\r\n")),
      is: [
        .reply(id: 1, .null), .reply(id: 2, .integer(5)),
      ])
    _ = pipeline.add(id: 3, [], deadline: .seconds(1), isSubscription: true)
    check(try pipeline.receive(bytes("-NOPERM no\r\n")), is: [.reply(id: 3, .error(bytes("NOPERM no")))])
  }

  @Test(arguments: ["+OK\r\n", ">2\r\n+message\r\n+c\r\n", ">3\r\n+subscribe\r\n+c\r\n:1\r\n"])
  func answersToNothingAreErrors(_ text: String) {
    var pipeline = RedisPipeline()
    #expect(throws: RESPError.self) { try pipeline.receive(bytes(text)) }
  }

  @Test func isBounded() {
    var limits = RedisPipeline.Limits()
    (limits.commands, limits.bytes) = (2, 10)
    var pipeline = RedisPipeline(limits: limits)
    check(pipeline.add(id: 1, [UInt8](repeating: 0, count: 11), deadline: .zero), is: false)
    check(pipeline.add(id: 2, [0], deadline: .zero), is: true)
    check(pipeline.add(id: 3, [0], deadline: .zero), is: true)
    check(pipeline.add(id: 4, [0], deadline: .zero), is: false)
  }

  @Test func breakerOpensAfterThreeTimeouts() {
    var breaker = RedisBreaker()
    check(breaker.timedOut(at: .seconds(1)), is: false)
    check(breaker.timedOut(at: .seconds(1)), is: false)
    breaker.succeeded()
    check(breaker.timedOut(at: .seconds(2)), is: false)
    check(breaker.timedOut(at: .seconds(2)), is: false)
    #expect(breaker.isClosed)
    check(breaker.timedOut(at: .seconds(2)), is: true)
    #expect(!breaker.isClosed)
    #expect(!breaker.mayTry(at: .milliseconds(2_999)))
    #expect(breaker.mayTry(at: .seconds(3)))
    breaker.succeeded()
    #expect(breaker.isClosed)
  }
}
