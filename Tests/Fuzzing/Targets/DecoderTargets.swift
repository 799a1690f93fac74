import CalotypeImaging
import FoundationEssentials

/// Targets for each decoder: whole, fed piece by piece if it takes pieces, and by frames if it has frames.
enum DecoderTargets {
  static let all: [FuzzTarget] = [
    targets("jpeg", JPEGDecoder()), targets("png", PNGDecoder()), targets("webp", WebPDecoder()),
    targets("gif", GIFDecoder()), targets("bmp", BMPDecoder()).dropLast(),
    targets("qoi", QOIDecoder()).dropLast(), targets("ico", ICODecoder()).prefix(1), optional,
  ].flatMap { $0 }

  /// Those of the traits that the package is built with.
  private static var optional: ArraySlice<FuzzTarget> {
    var targets: ArraySlice<FuzzTarget> = []
    #if AVIF
    targets += Self.targets("avif", AVIFDecoder())
    #endif
    #if JXL
    targets += [Self.targets("jxl", JXLDecoder())].flatMap { [$0.first, $0.last].compactMap { $0 } }
    #endif
    return targets
  }

  private static func targets(_ name: String, _ decoder: any ImageDecoding) -> ArraySlice<FuzzTarget> {
    [
      FuzzTarget(name: name) { try DecoderCheck(decoder, $0).decodeWhole() },
      FuzzTarget(name: name + "-incremental") { try DecoderCheck(decoder, $0).decodeInPieces() },
      FuzzTarget(name: name + "-frames") { try DecoderCheck(decoder, $0).decodeFrames() },
    ]
  }

  /// Small enough that a run takes a millisecond, and that an allocation beyond it is found out.
  static let limits = DecodeLimits(
    maxPixels: 1 << 16, maxFrames: 64, maxBytes: 1 << 20, maxScans: 20, maxTotalPixels: 1 << 18,
    maxChunkBytes: 1 << 16)

  static func options(_ input: FuzzInput) -> DecodeOptions {
    DecodeOptions(
      limits: limits, appliesOrientation: false, allowsPartial: input.choices.contains(.allowsPartial),
      thumbnail: input.choices.contains(.shrinks) ? thumbnail(input) : nil,
      pixels: input.choices.contains(.nativePixels) && !input.choices.contains(.shrinks) ? .native : .rgba8,
      colors: input.choices.contains(.storedColors) ? .asStored : .sRGB,
      readsMetadata: input.choices.contains(.readsMetadata))
  }

  private static func thumbnail(_ input: FuzzInput) -> Thumbnail {
    let modes = Thumbnail.Mode.allCases
    let filters = ResampleFilter.allCases
    return Thumbnail(
      box: PixelSize(width: Int(input.first), height: max(1, Int(input.second & 63))),
      mode: modes[Int(input.second >> 6) % modes.count], filter: filters[Int(input.second) % filters.count],
      effort: input.first & 32 == 0 ? .fine : .fast, linearLight: input.first & 64 != 0)
  }

  static func data(_ input: FuzzInput) -> Data {
    input.data(of: input.choices.contains(.repairsChecksums) ? PNGChecksums.repaired(input.bytes) : nil)
  }
}
