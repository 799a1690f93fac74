import CalotypeLoading
import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import Testing

@Suite("Failure memory")
struct FailureMemoryTests {
  private let time = ManualTime()

  private func memory(
    base: Duration = .seconds(60), max: Duration = .seconds(86_400), entries: Int = 10_000
  ) -> FailureMemory {
    let time = time
    return FailureMemory(
      configuration: .init(baseDuration: base, maxDuration: max, countLimit: entries), now: { time.instant })
  }

  private static func request(_ path: String = "a.png") throws -> LoadRequest {
    LoadRequest(url: try #require(URL(string: "http://images.example/\(path)")))
  }

  private static let url = URL(filePath: "/")
  private static let gone = LoadingError.httpStatus(url, status: 404, headers: HTTPFields())

  @Test func remembersForAWhile() throws {
    let memory = memory()
    let request = try Self.request()
    #expect(memory.failure(for: request) == nil)
    #expect(memory.error(for: request) == nil)
    let start = time.instant
    memory.record(Self.gone, for: request)
    let failure = try #require(memory.failure(for: request))
    #expect(failure.source == request.source)
    #expect(failure.code == "httpStatus")
    #expect(failure.message.contains("404"))
    #expect(failure.count == 1)
    #expect(failure.when == start)
    #expect(failure.until == start + .seconds(60))
    time.advance(by: .seconds(50))
    #expect(
      memory.error(for: request)
        == .recentlyFailed(request.source, code: "httpStatus", retryAfter: .seconds(10)))
    #expect(memory.entries == [failure])
    #expect(memory.count == 1)
    time.advance(by: .seconds(10))
    #expect(memory.failure(for: request) == nil)
    #expect(memory.error(for: request) == nil)
    #expect(memory.entries.isEmpty)
    #expect(memory.count == 0)
  }

  @Test func backsOff() throws {
    let memory = memory(max: .seconds(200))
    let request = try Self.request()
    for (index, seconds) in [60, 120, 200, 200].enumerated() {
      memory.record(Self.gone, for: request)
      #expect(memory.failure(for: request)?.count == index + 1)
      time.advance(by: .seconds(seconds) - .nanoseconds(1))
      #expect(memory.failure(for: request) != nil)
      time.advance(by: .nanoseconds(1))
      #expect(memory.failure(for: request) == nil)
    }
    // Long enough ago, and it is as if nothing had been.
    time.advance(by: .seconds(200))
    memory.record(Self.gone, for: request)
    #expect(memory.failure(for: request)?.count == 1)
  }

  @Test func failuresInTheMeantimeDoNotLengthen() throws {
    let memory = memory()
    let request = try Self.request()
    memory.record(Self.gone, for: request)
    let until = memory.failure(for: request)?.until
    time.advance(by: .seconds(1))
    memory.record(code: "notAnImage", message: "text", for: request)
    #expect(memory.failure(for: request)?.until == until)
    #expect(memory.failure(for: request)?.count == 1)
    #expect(memory.failure(for: request)?.code == "notAnImage")
    #expect(memory.failure(for: request)?.when == time.instant)
  }

  @Test func forgets() throws {
    let memory = memory()
    let (one, two) = (try Self.request("1"), try Self.request("2"))
    memory.record(Self.gone, for: one)
    memory.record(Self.gone, for: two)
    memory.forget(one)
    #expect(memory.failure(for: one) == nil)
    #expect(memory.failure(for: two) != nil)
    // A success in between, and the next failure is the first.
    time.advance(by: .seconds(60))
    memory.forget(two)
    memory.record(Self.gone, for: two)
    #expect(memory.failure(for: two)?.count == 1)
    memory.removeAll()
    #expect(memory.count == 0)
    memory.record(Self.gone, for: one)
    #expect(memory.entries.map(\.source) == [one.source])
  }

  @Test func otherRequestsMayFareBetter() throws {
    let memory = memory()
    let request = try Self.request()
    memory.record(Self.gone, for: request)
    var other = request
    other.headers[.authorization] = "Bearer x"
    #expect(memory.failure(for: other) == nil)
    other = request
    other.credential = .bearer("x")
    #expect(memory.failure(for: other) == nil)
    // What the answer does not depend on makes no difference.
    other = request
    other.timeouts.idle = .seconds(1)
    other.priority = .high
    other.byteLimit = .max
    other.fallbacks = [Self.url]
    #expect(memory.failure(for: other) != nil)
    var ordered = request
    ordered.headers[.accept] = "image/png"
    ordered.headers[.cookie] = "a=1"
    var reordered = request
    reordered.headers[.cookie] = "a=1"
    reordered.headers[.accept] = "image/png"
    memory.record(Self.gone, for: ordered)
    #expect(memory.failure(for: reordered) != nil)
  }

  @Test func tooLargeIsAMatterOfTheLimit() throws {
    let memory = memory()
    var request = try Self.request()
    request.byteLimit = 100
    memory.record(.tooLarge(request.source, limit: 100, declared: nil), for: request)
    #expect(memory.failure(for: request) != nil)
    request.byteLimit = 99
    #expect(memory.failure(for: request) != nil)
    request.byteLimit = 101
    #expect(memory.failure(for: request) == nil)
    // It was allowed to try, and the larger limit was not enough either.
    memory.record(.tooLarge(request.source, limit: 101, declared: nil), for: request)
    #expect(memory.failure(for: request) != nil)
    request.byteLimit = 102
    #expect(memory.failure(for: request) == nil)
  }

  static let remembered: [LoadingError] =
    [
      .unacceptableContentType(url, type: nil, accepted: []),
      .tooLarge(.url(url), limit: .max, declared: nil),
      .emptyBody(.url(url)), .tooManyRedirects(url, limit: 1), .redirectRefused(url, reason: ""),
      .protocolError(url, reason: ""), .bodyTransformFailed(url, transform: "", reason: ""),
    ] + [400, 402, 404, 405, 410, 415, 451, 499].map { .httpStatus(url, status: $0, headers: HTTPFields()) }

  @Test(arguments: remembered) func remembers(_ error: LoadingError) throws {
    let memory = memory()
    memory.record(error, for: try Self.request())
    #expect(memory.entries.map(\.code) == [error.code])
    #expect(memory.entries.first?.message == error.description)
  }

  static let passing: [LoadingError] =
    [
      .connectionFailed(url, reason: ""), .truncatedBody(url, received: 0, expected: nil),
      .hostNotFound(url, host: ""), .timedOut(url, phase: .idle, after: .zero), .tls(url, reason: ""),
      .contentChanged(url, received: 1), .addressRefused(url, reason: ""), .vetoed(url, reason: ""),
      .recentlyFailed(.url(url), code: "", retryAfter: .zero),
      .hostSuspended(url, host: "", retryAfter: .zero), .queueFull(url, limit: 1), .loaderClosed(url),
      .fileNotFound(url), .invalidURL(url, reason: ""), .bodyAlreadyConsumed,
    ]
    + [300, 399, 401, 403, 407, 408, 425, 429, 500, 501, 503].map {
      .httpStatus(url, status: $0, headers: HTTPFields())
    }

  @Test(arguments: passing) func doesNotRemember(_ error: LoadingError) throws {
    let memory = memory()
    memory.record(error, for: try Self.request())
    #expect(memory.entries.isEmpty)
  }

  @Test func bytesAreKnownByNameAndNotKept() throws {
    let memory = memory()
    let request = LoadRequest(source: .data(Data(count: 1 << 16), id: "upload"))
    memory.record(code: "notAnImage", message: "", for: request)
    #expect(memory.failure(for: LoadRequest(source: .data(Data(), id: "upload"))) != nil)
    let kept = try #require(memory.entries.first)
    guard case .data(let data, "upload") = kept.source else {
      Issue.record("\(kept.source)")
      return
    }
    #expect(data.isEmpty)
  }

  @Test func whatIsLongIsCutOrNotRemembered() throws {
    let memory = memory()
    memory.record(code: "x", message: String(repeating: "é", count: 5_000), for: try Self.request())
    #expect(try #require(memory.entries.first).message.utf8.count < 510)
    memory.removeAll()
    memory.record(Self.gone, for: try Self.request(String(repeating: "a", count: 16 << 10)))
    var request = try Self.request()
    request.headers[.cookie] = String(repeating: "a", count: 16 << 10)
    memory.record(Self.gone, for: request)
    #expect(memory.count == 0)
  }

  @Test func theOneThatMayBeAskedSoonestGoes() throws {
    let memory = memory(entries: 3)
    let stubborn = try Self.request("stubborn")
    memory.record(Self.gone, for: stubborn)
    time.advance(by: .seconds(60))
    // Until 120 seconds from now; the others until 61, 62 and so on.
    memory.record(Self.gone, for: stubborn)
    for index in 1...5 {
      time.advance(by: .seconds(1))
      memory.record(Self.gone, for: try Self.request("\(index)"))
      #expect(memory.count == min(3, index + 1))
    }
    #expect(
      memory.entries.map(\.source) == [try Self.request("4"), try Self.request("5"), stubborn].map(\.source))
    #expect(memory.failure(for: stubborn)?.count == 2)
  }

  @Test(arguments: [0, -1]) func mayRememberNothing(_ entries: Int) throws {
    let memory = memory(entries: entries)
    memory.record(Self.gone, for: try Self.request())
    #expect(memory.count == 0)
  }

  @Test func staysWithinItsBounds() throws {
    let memory = memory(entries: 10)
    // Remembered and forgotten again and again: what is out of date must not be taken for what is not.
    for round in 0..<1_000 {
      let request = try Self.request("\(round % 7)")
      memory.record(Self.gone, for: request)
      if round % 3 == 0 { memory.forget(request) }
      time.advance(by: .seconds(round % 80))
      #expect(memory.count <= 7)
    }
    for index in 0..<100 { memory.record(Self.gone, for: try Self.request("new-\(index)")) }
    #expect(memory.count == 10)
  }

  @Test func manyAtOnce() async throws {
    let memory = memory(entries: 20)
    let requests = try (0..<50).map { try Self.request("\($0)") }
    await withDiscardingTaskGroup { group in
      for offset in 0..<8 {
        group.addTask {
          for index in requests.indices {
            let request = requests[(index + 6 * offset) % requests.count]
            memory.record(Self.gone, for: request)
            if memory.failure(for: request) == nil { memory.forget(request) }
          }
        }
      }
    }
    #expect((1...20).contains(memory.count))
    #expect(memory.entries.allSatisfy { $0.count == 1 })
  }

  @Test func absurdDurations() throws {
    let endless = Duration.seconds(Int64.max)
    let long = memory(base: endless, max: endless)
    long.record(Self.gone, for: try Self.request())
    #expect(long.count == 1)
    let none = memory(base: .seconds(-5))
    for _ in 0..<3 { none.record(Self.gone, for: try Self.request()) }
    #expect(none.count == 0)
  }
}

/// What a response says of how long it is right counts for failures, too.
@Suite("Failures that say how long they last")
struct ExplicitFailureTests {
  private let url = URL(filePath: "/")

  @Test(
    "a status is remembered for as long as its response says, and otherwise for a minute",
    arguments: [
      ([:], 60), ([.cacheControl: "max-age=5"], 5), ([.cacheControl: "public , Max-Age=\"300\""], 300),
      ([.cacheControl: "no-cache"], 0), ([.cacheControl: "no-store"], 0), ([.cacheControl: "max-age=0"], 0),
      ([.cacheControl: "max-age=nonsense"], 0), ([.cacheControl: "private"], 60),
      ([.cacheControl: "max-age=99999999999"], 0), ([.cacheControl: "max-age=1000000"], 86_400),
      ([.expires: "0"], 0),
      ([.date: "Sun, 06 Nov 1994 08:49:37 GMT", .expires: "Sun, 06 Nov 1994 08:50:07 GMT"], 30),
      ([.date: "Sun, 06 Nov 1994 08:49:37 GMT", .expires: "Sun, 06 Nov 1994 08:49:07 GMT"], 0),
      ([.cacheControl: "max-age=7", .expires: "0"], 7),
    ] as [(HTTPFields, Int)])
  func lifetimes(headers: HTTPFields, seconds: Int) {
    let time = ManualTime()
    let memory = FailureMemory(now: { time.instant })
    let request = LoadRequest(url: url)
    memory.record(.httpStatus(url, status: 404, headers: headers), for: request)
    #expect((memory.error(for: request) != nil) == (seconds > 0))
    time.advance(by: .milliseconds(seconds * 1000 - 1))
    #expect((memory.error(for: request) != nil) == (seconds > 0))
    time.advance(by: .milliseconds(2))
    #expect(memory.error(for: request) == nil)
    // The second time is as long as the first one, where the response says so.
    memory.record(.httpStatus(url, status: 404, headers: headers), for: request)
    let next = headers.isEmpty || headers[.cacheControl] == "private" ? 120 : seconds
    time.advance(by: .milliseconds(next * 1000 - 1))
    #expect((memory.error(for: request) != nil) == (next > 0))
    time.advance(by: .milliseconds(2))
    #expect(memory.error(for: request) == nil)
  }

  @Test(
    "a status is remembered no longer than the redirects to it hold",
    arguments: [
      (302, [:], 60), (302, [.cacheControl: "max-age=20"], 20), (302, [.cacheControl: "max-age=500"], 500),
      (302, [.cacheControl: "no-store"], 0), (301, [:], 1_000), (301, [.cacheControl: "max-age=5"], 5),
    ] as [(Int, HTTPFields, Int)])
  func redirects(status: Int, headers: HTTPFields, seconds: Int) {
    let time = ManualTime()
    let memory = FailureMemory(now: { time.instant })
    let request = LoadRequest(url: url)
    let error = LoadingError.httpStatus(
      url, status: 404, headers: [.cacheControl: "max-age=1000"],
      redirects: [
        LoadResponse.Redirect(status: 301, headers: HTTPFields()),
        LoadResponse.Redirect(status: status, headers: headers),
      ])
    memory.record(error, for: request)
    #expect((memory.error(for: request) != nil) == (seconds > 0))
    time.advance(by: .milliseconds(seconds * 1000 - 1))
    #expect((memory.error(for: request) != nil) == (seconds > 0))
    time.advance(by: .milliseconds(2))
    #expect(memory.error(for: request) == nil)
  }
}
