#if JXL
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite("JPEG XL: hostile files")
struct JXLHostileTests {
  /// Writes bits, the lowest first.
  struct Bits {
    private(set) var bits: [Bool] = []

    mutating func add(_ value: Int, _ count: Int) {
      for index in 0..<count { bits.append(value >> index & 1 == 1) }
    }

    mutating func align() { while bits.count % 8 != 0 { bits.append(false) } }

    var data: Data {
      Data(
        stride(from: 0, to: bits.count, by: 8).map { start in
          bits[start..<min(start + 8, bits.count)].enumerated()
            .reduce(UInt8(0)) { $0 | ($1.element ? 1 << UInt8($1.offset) : 0) }
        })
    }
  }

  /// A picture of 64×64 pixels behind a hidden frame of any size, from which patches could be taken.
  private static func hiddenFrame(width: Int, height: Int) -> Data {
    var bits = Bits()
    // 64×64, everything as usual.
    for (value, count) in [(1, 1), (7, 5), (1, 3), (1, 1), (1, 1)] { bits.add(value, count) }
    bits.align()
    // Not all as usual, for reference, in the modular mode, no flags, no upsampling, groups of 1,024 pixels.
    for (value, count) in [(0, 1), (2, 2), (1, 1), (0, 2), (0, 2), (3, 2)] { bits.add(value, count) }
    // Its own size, saved in place 1, before colours are converted; no name, filters as usual, no extensions.
    bits.add(1, 1)
    for side in [width, height] {
      bits.add(3, 2)
      bits.add(side - 18_688, 30)
    }
    for (value, count) in [(1, 2), (1, 1), (0, 2), (1, 1), (0, 2)] { bits.add(value, count) }
    // Sections in order.
    bits.add(0, 1)
    bits.align()
    let all = bits.data + Data(count: 4096)
    return Data([0xFF, 0x0A]) + all
  }

  private static func decode(_ data: Data, _ limits: DecodeLimits = .default) throws(ImagingError) -> Image {
    try JXLDecoder().decode(data, minimumSize: nil, options: DecodeOptions(limits: limits))
  }

  @Test("a hidden frame of a gigapixel is refused by its header")
  func hidden() {
    #expect(throws: ImagingError.limitExceeded(.pixels, value: 32_768 * 32_768, limit: 100_000_000)) {
      try Self.decode(Self.hiddenFrame(width: 32_768, height: 32_768))
    }
    #expect(throws: ImagingError.limitExceeded(.side, value: 70_000, limit: 65_535)) {
      let limits = DecodeLimits(maxPixels: .max)
      _ = try Self.decode(Self.hiddenFrame(width: 70_000, height: 18_688), limits)
    }
  }

  @Test("a few bytes that claim a gigapixel cost nothing")
  func claims() throws {
    var bits = Bits()
    for (value, count) in [(0, 1), (2, 2), (32_767, 18), (1, 3), (1, 1)] { bits.add(value, count) }
    let data = Data([0xFF, 0x0A]) + bits.data + Data(count: 64)
    #expect(throws: ImagingError.limitExceeded(.pixels, value: 32_768 * 32_768, limit: 100_000_000)) {
      try CoderRegistry.standard.decode(data)
    }
    #expect(throws: ImagingError.self) { try Self.decode(data) }
  }

  @Test("the memory of planes that are coded as a whole counts before they are decoded")
  func planes() throws {
    let bitmap = try SampleImages.bitmap(width: 512, height: 512)
    let photo = try Image(bitmap: bitmap).encoded(as: .jxl())
    let clear = try Image(bitmap: TransformChain([.circle()]).apply(to: bitmap)).encoded(as: .jxl())
    let limits = DecodeLimits(maxMemoryBytes: 24 * 512 * 512)
    #expect(try Self.decode(photo, limits).bitmap.size == bitmap.size)
    for data in [clear, try Image(bitmap: bitmap).encoded(as: .jxlLossless)] {
      let error = #expect(throws: ImagingError.self) { try Self.decode(data, limits) }
      guard case .limitExceeded(.memory, _, _) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
    // Of a picture that is lossy and has no frequencies, the header of the frame tells.
    let data = Self.hiddenFrame(width: 18_688, height: 18_688)
    let limit = DecodeLimits(maxPixels: .max)
    let file = try JXLFile(data, limits: limit)
    let survey = try file.withCodestream(of: data) { (bytes) throws(ImagingError) in
      try JXLReader(bytes, header: file.header, limits: limit, watch: .init(limit)).survey
    }
    #expect(survey.isAnyModular && !file.header.info.layout.isLossless)
    #expect(file.header.info(of: survey).layout.isLossless)
  }

  @Test("every allocation through the memory manager that fails is an error, and all memory is given back")
  func memory() throws {
    let data = try Fixture.data("described/gen-jxlp-two-parts.jxl")
    let file = try JXLFile(data, limits: .default)
    let watch = DecodeLimits.DeadlineChecker(.default)
    var failures = 0
    for failing in 1... {
      do {
        try file.withCodestream(of: data) { (bytes) throws(ImagingError) in
          let reader = try JXLReader(
            bytes, header: file.header, limits: .default, watch: watch, failing: failing)
          _ = try reader.frame(DecodeOptions())
        }
        break
      } catch {
        failures += 1
        #expect(failures < 1000)
      }
    }
    #expect(failures > 0)
    let writes = (1...20).map { failing in
      Result { () throws(ImagingError) in
        let writer = try JXLWriter(failing: failing)
        let samples = try JXLSamples(SampleImages.bitmap(), profile: nil)
        try writer.begin(samples, options: .jxlLossless)
        try writer.add(samples, isLast: true)
        return try writer.finish()
      }
    }
    #expect(writes.contains { if case .failure = $0 { true } else { false } })
    #expect(writes.contains { if case .success = $0 { true } else { false } })
    let tight = DecodeLimits(maxMemoryBytes: 100)
    #expect(throws: ImagingError.outOfMemory(byteCount: 100)) {
      try JXLSession(UnsafeRawBufferPointer(start: nil, count: 0), wants: .color, limits: tight, watch: watch)
    }
  }

  @Test("cancelled and late decodes end")
  func deadline() async throws {
    let data = try Image(bitmap: SampleImages.bitmap(width: 1500, height: 1500)).encoded(as: .jxl())
    #expect(throws: ImagingError.self) { try Self.decode(data, DecodeLimits(maxDuration: .nanoseconds(1))) }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return Result { () throws(ImagingError) in try Self.decode(data) }
    }
    guard case .failure(.cancelled) = await task.value else {
      Issue.record("the decode did not end")
      return
    }
  }

  @Test("damaged files are answered, the same way twice")
  func damage() throws {
    for options in [EncodeOptions.jxl(), .jxlLossless] {
      let sound = try SampleImages.still(options, width: 40, height: 30)
      for index in sound.indices {
        for value in [0, 0x55, 0xFF] as [UInt8] {
          var data = sound
          data[index] = value
          let limits = DecodeLimits(maxPixels: 1 << 20, maxDuration: .seconds(10))
          let results = (0..<2).map { _ in
            Result { () throws(ImagingError) in try Self.decode(data, limits).bitmap }
          }
          #expect(results[0] == results[1])
        }
      }
    }
  }
}
#endif
