import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeImaging

#if TIFF
@Suite("TIFF: hostile files")
struct TIFFHostileTests {
  private static func decode(
    _ data: Data, _ change: (inout DecodeOptions) -> Void = { _ in }
  ) throws(ImagingError) -> Image {
    var options = DecodeOptions()
    change(&options)
    return try CoderRegistry.standard.decode(data, options: options)
  }

  private static func code(_ data: Data, _ change: (inout DecodeOptions) -> Void = { _ in }) -> String? {
    do throws(ImagingError) {
      _ = try decode(data, change)
      return nil
    } catch {
      return error.code
    }
  }

  @Test("strips that are missing: an error, or transparent", arguments: [1, 8])
  func missing(compression: Int) throws {
    var sample = TIFFSample(width: 20, height: 20, compression: compression, rows: 5)
    sample.value = { _, _, _ in 200 }
    if compression == 8 { sample.pack = TIFFSample.deflate }
    let data = sample.data
    let cut = data.prefix(data.count - 310)
    #expect(Self.code(cut) == "truncated")
    #expect(Self.code(cut) { $0.thumbnail = .fit(width: 5, height: 5) } == "truncated")
    let image = try Self.decode(cut) { $0.allowsPartial = true }
    #expect(image.isPartial && !image.isDamaged && !image.bitmap.isOpaque)
    let alphas = image.bitmap.withUnsafeBytes { bytes in (0..<20).map { bytes[80 * $0 + 3] } }
    #expect(alphas[0..<10].allSatisfy { $0 == 255 } && alphas[15...].allSatisfy { $0 == 0 })
    let small = try Self.decode(cut) {
      $0.allowsPartial = true
      $0.thumbnail = .fit(width: 5, height: 5)
    }
    #expect(small.isPartial && small.size == PixelSize(width: 5, height: 5))
    #expect(Self.code(cut) { ($0.allowsPartial, $0.damage) = (true, .strict) } == "truncated")
  }

  @Test("damaged strips: rows before the damage are recovered, unless the decode is strict")
  func damaged() throws {
    var sample = TIFFSample(width: 64, height: 40, compression: 8, rows: 20, value: { _, _, _ in 99 })
    sample.pack = { raw, width, height in
      var bytes = TIFFSample.deflate(raw, width, height)
      // The block ends in the middle, and another one of an unknown kind follows.
      let count = raw.count / 2
      bytes.replaceSubrange(
        2..<7,
        with: [0, UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8 & 255)])
      bytes[7 + count] = 0xFF
      return bytes
    }
    let image = try Self.decode(sample.data)
    #expect(image.isDamaged && !image.isPartial)
    let alphas = image.bitmap.withUnsafeBytes { bytes in (0..<40).map { bytes[256 * $0 + 3] } }
    #expect(alphas[0..<9].allSatisfy { $0 == 255 } && alphas[11..<20].allSatisfy { $0 == 0 })
    #expect(alphas[20..<29].allSatisfy { $0 == 255 } && alphas[31...].allSatisfy { $0 == 0 })
    #expect(Self.code(sample.data) { $0.damage = .strict } == "corrupt")
    let small = try Self.decode(sample.data) { $0.thumbnail = .fit(width: 8, height: 8) }
    #expect(small.isDamaged && !small.bitmap.isOpaque)
    sample.pack = { _, _, _ in [0, 1, 2, 3] }
    #expect(Self.code(sample.data) == "corrupt", "nothing is recovered")
  }

  @Test("strips that are missing count although others are damaged")
  func missingAndDamaged() throws {
    var sample = TIFFSample(width: 20, height: 20, compression: 8, isPlanar: true, rows: 5)
    sample.pack = { raw, width, height in
      raw.first == 0 ? [1, 2, 3, 4] : TIFFSample.deflate(raw, width, height)
    }
    // The first strip of the first plane is damaged, the last strip of the last plane is cut.
    sample.value = { _, y, sample in sample == 0 && y < 5 ? 0 : 7 }
    let cut = sample.data.dropLast(3)
    #expect(Self.code(cut) == "truncated")
    let image = try Self.decode(cut) { $0.allowsPartial = true }
    #expect(image.isPartial && image.isDamaged)
    let whole = try Self.decode(sample.data)
    #expect(whole.isDamaged && !whole.isPartial)
  }

  @Test("limits come before memory")
  func limits() {
    // A strip of 60,000 × 1,600 pixels in a few bytes.
    var sample = TIFFSample(width: 1, height: 1, compression: 8)
    sample.pack = { _, _, _ in [0x78, 1, 3, 0, 0, 0, 0, 1] }
    sample.others = [.init(256, 60_000), .init(257, 1600), .init(278, 1600)]
    #expect(Self.code(sample.data) == "limitExceeded")
    #expect(Self.code(sample.data) { $0.limits.maxPixels = 1000 } == "limitExceeded")
    #expect(Self.code(TIFFSample().data) { $0.limits.maxPixels = 35 } == nil)
    #expect(Self.code(TIFFSample().data) { $0.limits.maxPixels = 34 } == "limitExceeded")
    #expect(Self.code(TIFFSample().data) { $0.limits.maxDuration = .zero - .seconds(1) } == "limitExceeded")
    let pages = TIFFSample.file([TIFFSample(), TIFFSample(), TIFFSample()])
    #expect(Self.code(pages) { $0.limits.maxPages = 2 } == "limitExceeded")
  }

  @Test("wide tiles of a small picture count as memory")
  func tiles() throws {
    var sample = TIFFSample(width: 1, height: 1, samples: 200, compression: 8)
    sample.tile = (1, 1)
    sample.others = [.init(322, 4096), .init(323, 4096)]
    sample.pack = { _, _, _ in [0x78, 1, 3, 0, 0, 0, 0, 1] }
    #expect(Self.code(sample.data) == "limitExceeded")
  }

  @Test("each byte of the directory changed is answered, twice alike")
  func changes() {
    for isTiled in [false, true] {
      var sample = TIFFSample(compression: 8, rows: 2, pack: TIFFSample.deflate)
      if isTiled { sample.tile = (16, 16) }
      let data = sample.data
      for index in 0..<min(data.count, 260) {
        for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
          var changed = data
          changed[index] = value
          let limit: (inout DecodeOptions) -> Void = {
            $0.limits = DecodeLimits(maxPixels: 1 << 16, maxMemoryBytes: 64 << 20)
          }
          #expect(Self.code(changed, limit) == Self.code(changed, limit))
        }
      }
    }
  }
}
#endif
