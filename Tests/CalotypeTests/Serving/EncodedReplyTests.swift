import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import PipelineSamples
import Testing

@testable import Calotype

@Suite("Responses with encoded images", .timeLimit(.minutes(1)))
struct EncodedReplyTests {
  private let time = ManualTime()

  private func image(
    _ headers: HTTPFields = [:], change: (inout ImageRequest) -> Void = { _ in }
  ) async throws -> EncodedImage {
    let png = try LoadSamples.noise(40, 40)
    let loader = FakeLoader { _ in .body(png, headers: headers) }
    let (time, pipeline) = (time, LoadSamples.pipeline(loader) { [time] in $0.now = { time.date } })
    var request = ImageRequest(url: try LoadSamples.url("h"), thumbnail: .fit(width: 20, height: 20))
    change(&request)
    let image = try await pipeline.encoded(
      request, as: .negotiated(accept: "image/webp", among: [.webp(), .jpeg()]))
    await pipeline.settle()
    #expect(time.date >= .distantPast)
    return image
  }

  @Test("the whole image with all fields, its parts, and nothing for clients that have it")
  func replies() async throws {
    let date = "Wed, 21 Oct 2015 07:28:00 GMT"
    let image = try await image([.cacheControl: "max-age=100", .lastModified: date])
    let whole = image.evaluate(now: time.date)
    #expect(whole.status == .ok && whole.data == image.data)
    #expect(
      whole.fields == [
        .contentType: "image/webp", .eTag: image.entityTag.text, .acceptRanges: "bytes", .lastModified: date,
        .cacheControl: "max-age=100", .vary: "Accept", .contentLength: "\(image.data.count)",
      ])
    let same = image.evaluate(ifNoneMatch: "\"x\", W/\(image.entityTag.text)", now: time.date + 40)
    #expect(same.status == .notModified && same.data.isEmpty)
    #expect(
      same.fields == [
        .eTag: image.entityTag.text, .acceptRanges: "bytes", .cacheControl: "max-age=60", .vary: "Accept",
      ])
    #expect(image.evaluate(ifModifiedSince: date, now: time.date).status == .notModified)
    let part = image.evaluate(range: "bytes=10-19", now: time.date)
    #expect(part.status == .partialContent && part.data == image.data.dropFirst(10).prefix(10))
    #expect(part.fields[.contentRange] == "bytes 10-19/\(image.data.count)")
    #expect(part.fields[.contentLength] == "10")
    let beyond = image.evaluate(range: "bytes=99999-", now: time.date)
    #expect(beyond.status == .rangeNotSatisfiable && beyond.data.isEmpty)
    #expect(beyond.fields == [.contentRange: "bytes */\(image.data.count)", .contentLength: "0"])
    #expect(image.reply(to: [.ifMatch: "\"x\""]).status == .preconditionFailed)
    let head = image.reply(to: [:], method: .head, now: time.date)
    #expect(head.data.isEmpty && head.fields[.contentLength] == "\(image.data.count)")
  }

  @Test("the lifetime for clients is that of the original, and of one user alone where it is")
  func lifetimes() async throws {
    func control(
      _ headers: HTTPFields, after seconds: TimeInterval = 0, change: (inout ImageRequest) -> Void = { _ in }
    ) async throws -> String? {
      try await image(headers, change: change).cacheControl(at: time.date + seconds)
    }
    #expect(try await control([.cacheControl: "max-age=100"], after: 30) == "max-age=70")
    #expect(try await control([.cacheControl: "max-age=100"], after: 100) == "no-cache")
    // A cache for many users may keep it for longer than a browser.
    let both: HTTPFields = [.cacheControl: "max-age=10, s-maxage=100"]
    #expect(try await control(both, after: 4) == "max-age=6, s-maxage=96")
    #expect(try await control(both, after: 30) == "max-age=0, s-maxage=70")
    #expect(try await control([.cacheControl: "max-age=9, s-maxage=9"]) == "max-age=9")
    #expect(try await control([.cacheControl: "max-age=9, must-revalidate"]) == "max-age=9, must-revalidate")
    // Not kept here, since it is unknown whose it is.
    #expect(try await control([.cacheControl: "max-age=100, private"]) == "no-store")
    #expect(try await control([.cacheControl: "no-store"]) == "no-store")
    #expect(
      try await control([.cacheControl: "max-age=100"]) { $0.partition = "a" } == "private, max-age=100")
    #expect(
      try await control([.cacheControl: "max-age=100"]) { $0.headers[.cookie] = "a=b" }
        == "private, max-age=100")
  }

  @Test("the fields of a whole reply are those of its second and of its request, whatever was sent before")
  func repeatedReplies() async throws {
    let image = try await image([.cacheControl: "max-age=10, s-maxage=100"])
    var mine = image
    mine.isForOneUser = true
    var fixed = image
    fixed.variesOnAccept = false
    for seconds in [0, 0, 4.2, 4.9, 5, 30, 99, 100, 200, 4] as [TimeInterval] {
      for image in [image, mine, fixed, mine.found(in: .memory, isStale: true)] {
        let now = time.date + seconds
        var expected = image.headerFields(at: now)
        expected[.contentLength] = "\(image.data.count)"
        #expect(image.reply(to: [.accept: "*/*"], now: now).fields == expected, "after \(seconds) s")
        let own = image.isForOneUser ? "private" : seconds < 10 ? "max-age=\(10 - Int(seconds))" : "max-age=0"
        if seconds < 100, !image.isStale { #expect(expected[.cacheControl]?.hasPrefix(own) == true) }
        #expect(expected.contains(.vary) == image.variesOnAccept)
        if image.isStale || seconds >= 100 {
          #expect(expected[.cacheControl]?.hasSuffix("no-cache") == true)
        }
      }
    }
  }

  @Test(arguments: [
    ("If-Match", "\"x\"", 412), ("if-none-match", "*", 304),
    ("If-Modified-Since", "Wed, 21 Oct 2015 07:28:00 GMT", 304),
    ("If-Unmodified-Since", "Wed, 21 Oct 1985 07:28:00 GMT", 412), ("RANGE", "bytes=0-0", 206),
    ("If-Range", "\"x\"", 200), ("Referer", "x", 200), ("If-X", "x", 200),
  ])
  func eachConditionCounts(name: String, value: String, status: Int) async throws {
    let image = try await image([.lastModified: "Wed, 21 Oct 2015 07:28:00 GMT"])
    let fields = [HTTPField(name: try #require(HTTPField.Name(name)), value: value)]
    #expect(image.reply(to: HTTPFields(fields), now: time.date).status.code == status)
  }

  @Test("chunks are the bytes in order, in pieces of the size")
  func chunks() async throws {
    let image = try await image()
    var joined = Data()
    for await chunk in image.chunks(of: 100) {
      #expect(chunk.count == min(100, image.data.count - joined.count))
      joined += chunk
    }
    #expect(joined == image.data)
  }
}
