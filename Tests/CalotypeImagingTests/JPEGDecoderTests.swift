import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// JPEG out of real files, cut files, lying files and bombs.
@Suite("JPEG decoder")
struct JPEGDecoderTests {
  static let baseline = "Corpus/jpeg/conformance/peacock.default.jpeg"
  static let progressive = "Corpus/jpeg/generated/size-31x9-progressive.jpg"
  static let arithmetic = "Corpus/jpeg/arithmetic/testimgari.jpg"

  let decoder = JPEGDecoder()

  private func decode(
    _ data: Data, minimumSize: PixelSize? = nil, partial: Bool = false, limits: DecodeLimits = .default
  ) throws(ImagingError) -> Image {
    try decoder.decode(
      data, minimumSize: minimumSize, options: DecodeOptions(limits: limits, allowsPartial: partial))
  }

  private func code(_ data: Data, partial: Bool = false, limits: DecodeLimits = .default) -> String? {
    do {
      _ = try decode(data, partial: partial, limits: limits)
      return nil
    } catch { return error.code }
  }

  /// Offset of the first segment of this kind.
  private func offset(of marker: UInt8, in data: Data) throws -> Int {
    let bytes = [UInt8](data)
    return try #require(bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == marker })
  }

  @Test("the smallest scale that is large enough")
  func denominators() {
    let size = PixelSize(width: 1000, height: 501)
    func denominator(_ width: Int, _ height: Int) -> Int {
      ScaleDivisor.largest(for: size, minimumSize: PixelSize(width: width, height: height))
    }
    #expect(ScaleDivisor.largest(for: size, minimumSize: nil) == 1)
    #expect(denominator(1, 1) == 8)
    #expect(denominator(125, 63) == 8)
    #expect(denominator(126, 1) == 4)
    #expect(denominator(1, 64) == 4)
    #expect(denominator(250, 126) == 4)
    #expect(denominator(500, 251) == 2)
    #expect(denominator(501, 1) == 1)
    #expect(denominator(4000, 4000) == 1)
  }

  @Test("scaled pictures have the size promised and the colours of the whole", arguments: [1, 2, 4, 8])
  func scaled(denominator: Int) throws {
    let data = try Fixture.data(Self.baseline)
    let whole = try decode(data)
    let size = PixelSize(
      width: (100 + denominator - 1) / denominator, height: (75 + denominator - 1) / denominator)
    let image = try decode(data, minimumSize: size)
    #expect(image.bitmap.size == size)
    #expect(image.info?.size == PixelSize(width: 100, height: 75))
    for channel in 0..<4 {
      #expect(abs(mean(image.bitmap, channel) - mean(whole.bitmap, channel)) < 3)
    }
  }

  private func mean(_ bitmap: Bitmap, _ channel: Int) -> Double {
    bitmap.withUnsafeBytes { pixels in
      Double(stride(from: channel, to: pixels.count, by: 4).reduce(0) { $0 + Int(pixels[$1]) })
        / Double(pixels.count / 4)
    }
  }

  @Test("cut anywhere, a file is an error by default", arguments: [baseline, progressive, arithmetic])
  func truncated(name: String) throws {
    let data = try Fixture.data(name)
    let scan = try #require(try JPEGHeader(data).scanOffset)
    let whole = try decode(data)
    // The last byte may hold nothing but padding; without the end marker nothing is missing.
    #expect(code(data.dropLast(1)) == nil || name == Self.arithmetic)
    for count in stride(from: 0, to: data.count - 8, by: 3) {
      let cut = Data(data.prefix(count))
      #expect(code(cut) != nil, "\(count) of \(data.count) bytes")
      guard count > scan, let image = try? decode(cut, partial: true) else { continue }
      #expect(image.isPartial && image.bitmap.size == whole.bitmap.size)
    }
    #expect(code(Data(data.prefix(scan + 10))) == "truncated")
  }

  @Test("a partial picture keeps the rows that are there, and is grey below")
  func partial() throws {
    let data = try Fixture.data(Self.baseline)
    let scan = try #require(try JPEGHeader(data).scanOffset)
    let whole = try decode(data).bitmap
    let image = try decode(Data(data.prefix(scan + (data.count - scan) / 2)), partial: true)
    #expect(image.isPartial)
    whole.withUnsafeBytes { a in
      image.bitmap.withUnsafeBytes { b in
        #expect(a[..<(16 * whole.bytesPerRow)].elementsEqual(b[..<(16 * whole.bytesPerRow)]))
        #expect(b.last == 255)
      }
    }
    #expect(image.bitmap != whole)
    #expect(try decode(data, partial: true).isPartial == false)
  }

  @Test("damage in the data is tolerated by default, and an error under the strict policy")
  func damaged() throws {
    var data = try Fixture.data(Self.baseline)
    let scan = try #require(try JPEGHeader(data).scanOffset)
    // A marker in the middle of the data: what follows is lost.
    data.replaceSubrange((scan + 500)..<(scan + 502), with: [0xFF, 0xD9])
    let image = try decode(data)
    #expect(image.isDamaged && !image.isPartial && image.info?.isDamaged == true)
    let partial = try decode(data, partial: true)
    #expect(partial.isDamaged && !partial.isPartial && partial.bitmap == image.bitmap)
    for allowsPartial in [false, true] {
      let error = #expect(throws: ImagingError.self) {
        try decoder.decode(
          data, minimumSize: nil, options: DecodeOptions(allowsPartial: allowsPartial, damage: .strict))
      }
      #expect(error?.code == "corrupt")
    }
    // Cut off behind the damage.
    #expect(
      code(Data(data.dropLast(data.count / 4)).replacing([0xFF, 0xD9], with: [0xFF, 0])) == "truncated")
  }

  @Test("flipped bytes never trap", arguments: [baseline, progressive, arithmetic])
  func flipped(name: String) throws {
    let data = try Fixture.data(name)
    var seed: UInt32 = 1
    for _ in 0..<300 {
      var damaged = data
      for _ in 0..<3 {
        seed = seed &* 1_664_525 &+ 1_013_904_223
        let index = Int(seed >> 8) % damaged.count
        damaged[index] = UInt8(truncatingIfNeeded: seed >> 3)
      }
      // Damage may have made the picture larger: small limits keep this quick.
      _ = try? decode(damaged, partial: true, limits: DecodeLimits(maxPixels: 1_000_000, maxScans: 20))
    }
  }

  @Test("a header that promises more than the data can hold takes no memory")
  func lyingHeader() throws {
    for name in [Self.baseline, Self.progressive] {
      var data = try Fixture.data(name)
      let frame = try offset(of: name == Self.baseline ? 0xC0 : 0xC2, in: data)
      data.replaceSubrange((frame + 5)..<(frame + 9), with: [0x27, 0x00, 0x27, 0x00])
      #expect(try decoder.probe(data, limits: .default).size == PixelSize(width: 9984, height: 9984))
      let before = PixelPool.shared.statistics
      #expect(code(data) == "truncated")
      #expect(PixelPool.shared.statistics.bytesInUse - before.bytesInUse < 64 << 20)
      data.replaceSubrange((frame + 5)..<(frame + 9), with: [0xFF, 0x00, 0xFF, 0x00])
      #expect(code(data) == "limitExceeded")
    }
  }

  @Test("more scans than the limit are refused")
  func scanBomb() throws {
    let data = try Fixture.data(Self.progressive)
    let bytes = [UInt8](data)
    let last = try #require(bytes.indices.dropLast().last { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA })
    let scan = data[last..<(data.count - 2)]
    var bomb = Data(data.dropLast(2))
    for _ in 0..<200 { bomb.append(scan) }
    bomb.append(contentsOf: [0xFF, 0xD9])
    #expect(throws: ImagingError.limitExceeded(.scans, value: 101, limit: 100)) { try decode(bomb) }
    #expect(code(data, limits: DecodeLimits(maxScans: 9)) == "limitExceeded")
    #expect(code(data, limits: DecodeLimits(maxScans: 10)) == nil)
  }

  @Test("variants that cannot be decoded are named")
  func unsupported() throws {
    let data = try Fixture.data(Self.baseline)
    let frame = try offset(of: 0xC0, in: data)
    var twelve = data
    twelve[frame + 4] = 12
    #expect(code(twelve) == "unsupportedFormat")
    #expect(try decoder.probe(twelve, limits: .default).bitDepth == 12)
    for process in [0xC3, 0xC5, 0xCB, 0xCF] as [UInt8] {
      var other = data
      other[frame + 1] = process
      #expect(code(other) == "unsupportedFormat")
    }
  }

  @Test(
    "frame headers that make no sense", arguments: [(5, 0), (6, 0), (9, 0), (11, 0x00), (11, 0x51), (2, 9)])
  func badFrame(_ index: Int, _ value: UInt8) throws {
    var data = try Fixture.data(Self.baseline)
    let frame = try offset(of: 0xC0, in: data)
    data[frame + index] = value
    if index == 5 { data[frame + 6] = 0 }
    if index == 6 {
      data[frame + 7] = 0
      data[frame + 8] = 0
    }
    #expect(throws: ImagingError.self) { try decoder.probe(data, limits: .default) }
  }

  @Test("the profile of several segments, in any order, complete or not at all")
  func profileSegments() throws {
    let profile = try Fixture.data("Metadata/DisplayP3-v4.icc")
    let jpeg = try Fixture.data(Self.baseline)
    func segment(_ number: UInt8, _ count: UInt8, _ part: Data) -> Data {
      let length = 16 + part.count
      return Data([0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)] + Array("ICC_PROFILE\0".utf8))
        + [number, count] + part
    }
    func name(_ segments: [Data]) throws -> String? {
      let bytes = jpeg.prefix(2) + segments.reduce(Data(), +) + jpeg.dropFirst(2)
      return try decoder.probe(Data(bytes), limits: .default).colorProfile
    }
    let first = profile.prefix(200)
    let second = profile.dropFirst(200)
    #expect(try name([segment(1, 2, first), segment(2, 2, second)]) == "sP3")
    #expect(try name([segment(2, 2, second), segment(1, 2, first)]) == "sP3")
    #expect(try name([segment(1, 2, first)]) == nil)
    #expect(try name([segment(1, 2, first), segment(1, 2, first)]) == nil)
    #expect(try name([segment(1, 2, first), segment(2, 3, second)]) == nil)
    #expect(try name([segment(0, 1, profile)]) == nil)
  }

  @Test("a slice of larger data decodes as the data itself")
  func slice() throws {
    let data = try Fixture.data(Self.baseline)
    let slice = (Data([1, 2, 3]) + data + [4, 5]).dropFirst(3).dropLast(2)
    #expect(try decode(slice).bitmap == decode(data).bitmap)
  }

  @Test("a cancelled task stops it", arguments: [baseline, progressive])
  func cancellation(name: String) async throws {
    let data = try Fixture.data(name)
    let task = Task { () throws -> Image in
      withUnsafeCurrentTask { $0?.cancel() }
      return try JPEGDecoder().decode(data, minimumSize: nil, options: DecodeOptions())
    }
    await #expect(throws: ImagingError.cancelled) { try await task.value }
  }
}
