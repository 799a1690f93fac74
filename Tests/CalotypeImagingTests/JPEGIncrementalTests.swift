import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// A JPEG that arrives in pieces is the JPEG that arrives at once.
@Suite("JPEG incremental decoder")
struct JPEGIncrementalTests {
  static let names = [
    "Corpus/jpeg/conformance/peacock.default.jpeg", "Corpus/jpeg/generated/size-31x9-progressive.jpg",
    "Corpus/jpeg/arithmetic/testimgari.jpg", "Corpus/jpeg/cmyk/jpg-cmyk-1.jpg",
    "Corpus/jpeg/conformance/peacock.progressive.scan006.jpeg", "Corpus/jpeg/icc/gen-gray.jpg",
  ]

  /// What a decode ends with.
  enum Outcome: Equatable {
    case image(Bitmap, Bool)
    case failure(ImagingError)
  }

  static func decoder(_ options: DecodeOptions = DecodeOptions()) throws -> any IncrementalImageDecoding {
    try #require(JPEGDecoder().makeIncrementalDecoder(options: options))
  }

  /// A photograph in the small: 320 by 240, with detail, so that its bytes fill many windows.
  static func picture(progressive: Bool) throws -> Data {
    let bitmap = try OrientationTests.bitmap(PixelSize(width: 320, height: 240)) { x, y in
      let noise = UInt32(truncatingIfNeeded: (x &* 2_654_435_761) ^ (y &* 40503) &* 97) >> 24
      return UInt32(x * 255 / 319) | UInt32(y) << 8 | (noise & 255) << 16 | 255 << 24
    }
    var options = EncodeOptions.jpeg(quality: 90)
    options.isProgressive = progressive
    return try JPEGEncoder().encode(Image(bitmap: bitmap), options: options)
  }

  static func outcome(_ work: () throws(ImagingError) -> Image) -> Outcome {
    do throws(ImagingError) {
      let image = try work()
      return .image(image.bitmap, image.isPartial)
    } catch { return .failure(error) }
  }

  static func atOnce(_ data: Data, _ options: DecodeOptions = DecodeOptions()) -> Outcome {
    outcome { () throws(ImagingError) in try JPEGDecoder().decode(data, minimumSize: nil, options: options) }
  }

  static func inPieces(
    _ data: Data, of count: Int, _ options: DecodeOptions = DecodeOptions(), looking: Bool = false
  ) -> Outcome {
    outcome { () throws(ImagingError) in
      let decoder = JPEGIncrementalDecoder(options: options)
      var start = data.startIndex
      while start < data.endIndex {
        let end = min(start + count, data.endIndex)
        try decoder.append(data[start..<end])
        if looking { _ = try decoder.snapshot() }
        start = end
      }
      return try decoder.finish()
    }
  }

  @Test("the same picture for every way to cut it", arguments: names, [1, 7, 997, 65_536])
  func chunks(name: String, count: Int) throws {
    let data = try Fixture.data(name)
    let expected = Self.atOnce(data)
    guard case .image = expected else { throw expected.failureValue ?? .cancelled }
    #expect(Self.inPieces(data, of: count) == expected)
    #expect(Self.inPieces(data, of: count, looking: true) == expected)
  }

  @Test("many windows", arguments: [false, true])
  func windows(progressive: Bool) throws {
    let data = try Self.picture(progressive: progressive)
    let expected = Self.atOnce(data)
    for count in [1, 997, 4096, data.count] {
      #expect(Self.inPieces(data, of: count, looking: true) == expected)
    }
  }

  @Test("the same outcome for files that are cut or damaged", arguments: [false, true], [false, true])
  func damage(progressive: Bool, partial: Bool) throws {
    let data = try Self.picture(progressive: progressive)
    let options = DecodeOptions(limits: DecodeLimits(maxPixels: 1_000_000), allowsPartial: partial)
    var seed: UInt32 = 7
    for round in 0..<120 {
      var damaged = data
      for _ in 0..<3 {
        seed = seed &* 1_664_525 &+ 1_013_904_223
        // Half of them in the header.
        let range = round.isMultiple(of: 2) ? 700 : damaged.count
        damaged[Int(seed >> 8) % range] = UInt8(truncatingIfNeeded: seed >> 3)
      }
      if round.isMultiple(of: 3) { damaged = damaged.prefix(Int(seed >> 8) % damaged.count) }
      let expected = Self.atOnce(damaged, options)
      guard !damaged.isEmpty else { continue }
      for count in [997, 10_007] {
        #expect(Self.inPieces(damaged, of: count, options, looking: true) == expected, "round \(round)")
      }
    }
  }

  @Test("rows appear from the top and never change", arguments: [1, 300])
  func rows(count: Int) throws {
    let data = try Self.picture(progressive: false)
    let whole = try JPEGDecoder().decode(data, minimumSize: nil, options: DecodeOptions()).bitmap
    let decoder = try Self.decoder()
    var seen: [Int] = []
    for start in stride(from: 0, to: data.count, by: count) {
      try decoder.append(data[start..<min(start + count, data.count)])
      guard let image = try decoder.snapshot() else { continue }
      #expect(image.isPartial && image.bitmap.size == whole.size)
      seen.append(equalRows(image.bitmap, whole))
      #expect(try decoder.snapshot() == nil, "nothing new")
    }
    #expect(seen.count > 5)
    #expect(seen == seen.sorted() && Set(seen).count == seen.count)
    let last = try decoder.finish()
    #expect(last.isPartial == false && last.bitmap == whole)
  }

  private func equalRows(_ a: Bitmap, _ b: Bitmap) -> Int {
    a.withUnsafeBytes { x in
      b.withUnsafeBytes { y in
        let count = a.bytesPerRow
        return (0..<a.height).first { row in
          !x[(row * count)..<((row + 1) * count)].elementsEqual(y[(row * count)..<((row + 1) * count)])
        } ?? a.height
      }
    }
  }

  @Test("scans come closer and closer")
  func scans() throws {
    let data = try Self.picture(progressive: true)
    let whole = try JPEGDecoder().decode(data, minimumSize: nil, options: DecodeOptions()).bitmap
    let decoder = try Self.decoder()
    var errors: [Int] = []
    for start in stride(from: 0, to: data.count, by: 200) {
      try decoder.append(data[start..<min(start + 200, data.count)])
      guard let image = try decoder.snapshot() else { continue }
      #expect(image.isPartial)
      errors.append(difference(image.bitmap, whole))
    }
    #expect(errors.count >= 4)
    #expect(errors.last ?? .max < errors[0] / 2)
    #expect(try decoder.finish().bitmap == whole)
  }

  private func difference(_ a: Bitmap, _ b: Bitmap) -> Int {
    a.withUnsafeBytes { x in
      b.withUnsafeBytes { y in zip(x, y).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) } }
    }
  }

  @Test("the header is known when it has arrived")
  func info() throws {
    let data = try Fixture.data("Corpus/jpeg/exif/Canon_40D.jpg")
    let scan = try #require(try JPEGHeader(data).scanOffset)
    let expected = try JPEGDecoder().probe(data, limits: .default)
    let decoder = try Self.decoder()
    for index in 0..<scan {
      #expect(decoder.info == nil)
      try decoder.append(data[index..<(index + 1)])
    }
    #expect(decoder.info == expected)
  }

  @Test("a thumbnail decodes at a smaller scale")
  func thumbnail() throws {
    let data = try Self.picture(progressive: true)
    var options = DecodeOptions()
    options.thumbnail = Thumbnail(box: PixelSize(width: 40, height: 40), mode: .fit)
    let decoder = try Self.decoder(options)
    try decoder.append(data)
    #expect(try decoder.finish().bitmap.size == PixelSize(width: 80, height: 60))
  }

  @Test("an error stays", arguments: [1, 64])
  func errors(count: Int) throws {
    let decoder = try Self.decoder()
    #expect(throws: ImagingError.emptyInput) { try decoder.finish() }
    let other = try Self.decoder()
    #expect(throws: ImagingError.corrupt(.jpeg, reason: "no start marker", offset: 0)) {
      for byte in "GIF89a".utf8 { try other.append(Data(repeating: byte, count: count)) }
    }
    #expect(throws: ImagingError.self) { try other.append(Data([1])) }
    #expect(throws: ImagingError.self) { try other.finish() }
    #expect(throws: ImagingError.self) { try other.snapshot() }
    let small = try Self.decoder(DecodeOptions(limits: DecodeLimits(maxBytes: 10)))
    #expect(throws: ImagingError.limitExceeded(.bytes, value: 11, limit: 10)) {
      try small.append(try Self.picture(progressive: false).prefix(11))
    }
  }

  @Test("a header that promises too much takes no memory for pixels")
  func lyingHeader() throws {
    var data = try Self.picture(progressive: false)
    let bytes = [UInt8](data)
    let frame = try #require(bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
    data.replaceSubrange((frame + 5)..<(frame + 9), with: [0x27, 0x00, 0x27, 0x00])
    let decoder = try Self.decoder()
    let before = PixelPool.shared.statistics.bytesInUse
    try decoder.append(data)
    #expect(PixelPool.shared.statistics.bytesInUse - before < 64 << 20)
    // So few bytes are no reason to take so much memory: said before anything about their end, as of whole bytes.
    let error = #expect(throws: ImagingError.self) { try decoder.finish() }
    #expect(error?.code == "limitExceeded")
  }

  @Test("garbage and fill bytes before the frame, byte by byte")
  func slowHeader() throws {
    let data = try Self.picture(progressive: false)
    let garbage = Data(repeating: 0xFF, count: 20_000) + Data(repeating: 0x11, count: 20_000)
    let padded = data.prefix(2) + garbage + data.dropFirst(2)
    #expect(Self.inPieces(Data(padded), of: 1) == Self.atOnce(Data(padded)))
  }

  @Test("no time, no picture", arguments: [false, true])
  func duration(progressive: Bool) throws {
    let data = try Self.picture(progressive: progressive)
    let options = DecodeOptions(limits: DecodeLimits(maxDuration: .zero))
    for outcome in [Self.atOnce(data, options), Self.inPieces(data, of: 997, options)] {
      guard case .failure(.limitExceeded(.duration, _, limit: 0)) = outcome else {
        Issue.record("\(outcome)")
        continue
      }
    }
  }

  @Test("an error between scans leaves the scans before it")
  func laterScan() throws {
    let data = try Self.picture(progressive: true)
    let bytes = [UInt8](data)
    let scans = bytes.indices.dropLast().filter { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA }
    var damaged = data
    // A scan of five components.
    damaged[scans[3] + 4] = 5
    #expect(Self.atOnce(damaged).failureValue?.code == "corrupt")
    let options = DecodeOptions(allowsPartial: true)
    let cut = Data(data.prefix(scans[3])) + [0xFF, 0xD9]
    guard case .image(let bitmap, let isPartial) = Self.atOnce(damaged, options),
      case .image(let expected, _) = Self.atOnce(cut, options)
    else {
      Issue.record("no picture")
      return
    }
    #expect(isPartial && bitmap == expected)
    #expect(Self.inPieces(damaged, of: 997, options) == .image(expected, true))
  }
}

extension JPEGIncrementalTests.Outcome {
  var failureValue: ImagingError? { if case .failure(let error) = self { error } else { nil } }
}
