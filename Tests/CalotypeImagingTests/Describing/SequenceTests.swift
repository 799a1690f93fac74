import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite("AVIF sequences: headers")
struct SequenceTests {
  private typealias B = BoxBuilder

  struct Movie {
    var brands = ["avis", "avif"]
    var durations = [100, 200, 5]
    var sampleCount = 3
    var repeats = true
    var trackDuration = 610
    var segment = 305
    var hasEdits = true
    var size = (40, 30)
    var sampleSize = 0

    var data: Data {
      let header = B.full(
        "tkhd", B.number(0, 8), B.number(1, 4), B.number(0, 4), B.number(trackDuration, 4), B.number(0, 52),
        B.number(size.0 << 16, 4), B.number(size.1 << 16, 4))
      let entry = B.box(
        "av01", B.number(0, 24), B.number(size.0, 2), B.number(size.1, 2), B.number(0, 50), B.av1(depth: 10))
      let times = durations.flatMap { B.number(1, 4) + B.number($0, 4) }
      let sizes =
        sampleSize > 0
        ? B.number(sampleSize, 4) + B.number(sampleCount, 4)
        : B.number(0, 4) + B.number(sampleCount, 4)
          + (0..<min(sampleCount, 8)).flatMap { _ in B.number(2, 4) }
      let table = B.box(
        "stbl", B.full("stsd", B.number(1, 4), entry), B.full("stts", B.number(durations.count, 4), times),
        B.full("stsc", B.number(1, 4), B.number(1, 4), B.number(sampleCount, 4), B.number(1, 4)),
        B.full("stsz", sizes), B.full("stco", B.number(1, 4), B.number(24, 4)),
        B.full("stss", B.number(1, 4), B.number(1, 4)))
      let media = B.box(
        "mdia", B.full("mdhd", B.number(0, 8), B.number(1000, 4), B.number(305, 4), B.number(0, 4)),
        B.full("hdlr", B.number(0, 4), Array("pict".utf8), B.number(0, 13)), B.box("minf", table))
      let edits = B.box(
        "edts",
        B.full(
          "elst", flags: repeats ? 1 : 0, B.number(1, 4), B.number(segment, 4), B.number(0, 4),
          B.number(0x1_0000, 4)))
      return Data(
        B.brands(brands[0], brands[1]) + B.box("moov", B.box("trak", header, hasEdits ? edits : [], media)))
    }
  }

  private func probe(_ movie: Movie, limits: DecodeLimits = .default) throws -> ImageInfo {
    try CoderRegistry.standard.probe(movie.data, limits: limits)
  }

  @Test("frames, their durations, and plays")
  func frames() throws {
    let info = try probe(Movie())
    #expect(info.size == PixelSize(width: 40, height: 30) && info.bitDepth == 10 && info.frameCount == 3)
    // 10 ms or less are 100 ms.
    #expect(info.durations == [.milliseconds(100), .milliseconds(200), .milliseconds(100)])
    #expect(info.loopCount == 2)
    #expect(try probe(Movie(repeats: false)).loopCount == 1)
    #expect(try probe(Movie(trackDuration: 0xFFFF_FFFF)).loopCount == 0)
    #expect(try probe(Movie(hasEdits: false)).loopCount == 0)
    #expect(try probe(Movie(segment: 0)).loopCount == 1)
    let single = try probe(Movie(durations: [100], sampleCount: 1))
    #expect(single.frameCount == 1 && single.loopCount == 1 && single.durations.isEmpty)
  }

  @Test("times that are missing repeat the last one")
  func fewTimes() throws {
    #expect(try probe(Movie(durations: [40])).durations == [Duration](repeating: .milliseconds(40), count: 3))
  }

  @Test("too many samples, none, and samples without bytes")
  func hostile() {
    #expect(throws: ImagingError.limitExceeded(.frames, value: 4_294_967_295, limit: 8192)) {
      try probe(Movie(sampleCount: 4_294_967_295, sampleSize: 1))
    }
    for movie in [Movie(sampleCount: 0), Movie(sampleCount: 9), Movie(durations: [])] {
      do throws(ImagingError) {
        _ = try CoderRegistry.standard.probe(movie.data)
      } catch {
        #expect(error.code == "corrupt")
      }
    }
    #expect(throws: ImagingError.self) { try probe(Movie(size: (0, 0))) }
    #expect(throws: ImagingError.self) { try probe(Movie(), limits: DecodeLimits(maxFrames: 2)) }
  }

  @Test("lists are no longer than their boxes", arguments: ["stts", "stco", "stsc"])
  func longLists(_ type: String) throws {
    var data = Movie().data
    let place = try #require(data.firstRange(of: Data(type.utf8))).upperBound + 4
    data.replaceSubrange(place..<place + 4, with: [0xFF, 0xFF, 0xFF, 0xFF])
    do throws(ImagingError) {
      _ = try CoderRegistry.standard.probe(data)
      Issue.record("accepted")
    } catch {
      #expect(error.code == "corrupt")
    }
  }

  @Test("items that follow the tracks decide whether the tracks count")
  func itemsBehindTracks() throws {
    let still = ItemFile.still().data
    let brands = BoxBuilder.brands("avif", "mif1", "miaf")
    let meta = still.dropFirst(brands.count)
    try #require(still.starts(with: brands))
    let data = Data(brands + BoxBuilder.box("moov", [])) + meta
    #expect(try CoderRegistry.standard.probe(data).size == PixelSize(width: 32, height: 24))
    #expect(try CoderRegistry.standard.header(of: data.prefix(brands.count + 8)) == nil)
  }

  @Test("each prefix, and each byte changed, is answered")
  func robustness() {
    let data = Movie().data
    for count in 0...data.count {
      _ = try? CoderRegistry.standard.probe(data.prefix(count))
      _ = try? CoderRegistry.standard.header(of: data.prefix(count))
    }
    for index in data.indices {
      for value in [0, 0x7F, 0xFF] as [UInt8] {
        var changed = data
        changed[index] = value
        _ = try? CoderRegistry.standard.probe(changed)
      }
    }
  }
}
