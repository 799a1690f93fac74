import CLibSPNG
import CPixels
import CalotypeImaging
import FoundationEssentials

/// A source of the frames of an APNG that decodes each as a separate PNG.
final class APNGFrameSource: FrameDrawing {
  /// The common properties of all frames of a file.
  struct Traits {
    let header: spng_ihdr
    /// PLTE and tRNS.
    let colors: [Range<Int>]
    let format: PixelFormat
    let options: DecodeOptions

    init(_ file: SPNGFile) {
      (header, colors) = (file.context.header, file.chunks.colors)
      (format, options) = (file.format, file.options)
    }
  }

  private let data: Data
  private let frames: [APNGAnimation.Frame]
  private let traits: Traits

  init(_ data: Data, _ frames: [APNGAnimation.Frame], _ traits: Traits) {
    (self.data, self.frames, self.traits) = (data, frames, traits)
  }

  func draw(
    _ index: Int, onto plane: PixelPlane, blends: Bool, watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Bool {
    try data.bytes.withUnsafeBytes { (bytes) throws(ImagingError) in
      guard frames[index].data == nil else {
        return try Self.draw(frames[index], traits, bytes.bytes, onto: plane, blends: blends, watch: watch)
      }
      let context = try SPNGContext(bytes, limits: traits.options.limits)
      return try Self.draw(context, traits, frames[index], onto: plane, blends: blends, watch: watch)
    }
  }

  /// Draws a frame that is not the default image, and returns true if all pixels were present.
  ///
  /// - Throws: The error of the frame, unless partial images are allowed.
  static func draw(
    _ frame: APNGAnimation.Frame, _ traits: Traits, _ bytes: RawSpan, onto plane: PixelPlane, blends: Bool,
    watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Bool {
    let picture = try picture(of: frame, traits, bytes)
    return try picture.withUnsafeBytes { (bytes) in
      Result { () throws(ImagingError) in
        let context = try SPNGContext(bytes, limits: traits.options.limits)
        return try draw(context, traits, frame, onto: plane, blends: blends, watch: watch)
      }
    }.get()
  }

  private static func draw(
    _ context: SPNGContext, _ traits: Traits, _ frame: APNGAnimation.Frame, onto plane: PixelPlane,
    blends: Bool, watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Bool {
    var isWhole = true
    var rowCount = frame.area.size.height
    let pixels = try Bitmap(size: frame.area.size, format: traits.format) { (target) throws(ImagingError) in
      if traits.options.allowsPartial { target.initializeMemory(as: UInt8.self, repeating: 0) }
      if let (rows, damage) = try context.decode(into: target, format: traits.format, watch: watch) {
        guard traits.options.allowsPartial else { throw damage }
        isWhole = false
        // Rows of an interlaced frame are distributed over its height, those of others are at the top.
        rowCount = context.isInterlaced ? rowCount : rows
      }
      return false
    }
    pixels.withUnsafeBytes { source in
      for y in 0..<rowCount {
        let target = plane.row(frame.area.y + y, from: frame.area.x, count: pixels.width)
        let row = UnsafeRawBufferPointer(
          rebasing: source[y * pixels.bytesPerRow..<(y + 1) * pixels.bytesPerRow])
        guard let from = row.baseAddress?.assumingMemoryBound(to: UInt8.self),
          let to = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
        else { continue }
        cpng_place(from, to, pixels.width, 1, Int32(plane.bytesPerPixel), blends ? 1 : 0)
      }
    }
    return isWhole
  }

  /// Returns the frame as a PNG: the header at its size, palette and transparency of the file, and its data in one
  /// chunk.
  private static func picture(
    of frame: APNGAnimation.Frame, _ traits: Traits, _ bytes: RawSpan
  ) throws(ImagingError) -> [UInt8] {
    let header = traits.header
    var picture = PNGChunks.signature
    append(
      "IHDR",
      bigEndian(frame.area.size.width) + bigEndian(frame.area.size.height)
        + [header.bit_depth, header.color_type, 0, 0, header.interlace_method], to: &picture)
    for range in traits.colors { picture += bytes.array(range) }
    var data: [UInt8] = []
    var offset = frame.data?.lowerBound ?? 0
    let end = frame.data?.upperBound ?? 0
    while offset < end, let chunk = PNGChunks.chunk(bytes, at: offset) {
      offset = chunk.range.upperBound
      guard bytes.holds("fdAT", at: chunk.range.lowerBound + 4) else { continue }
      guard PNGChunks.isSound(chunk, bytes) else {
        // The data before may be enough for a partial frame.
        if traits.options.allowsPartial { break }
        throw .corrupt(.apng, reason: "the CRC of an fdAT chunk is wrong", offset: chunk.range.lowerBound)
      }
      data += bytes.array(chunk.payload.lowerBound + 4..<chunk.payload.upperBound)
    }
    append("IDAT", data, to: &picture)
    append("IEND", [], to: &picture)
    return picture
  }

  private static func append(_ type: String, _ payload: [UInt8], to picture: inout [UInt8]) {
    let named = Array(type.utf8) + payload
    picture += bigEndian(payload.count) + named + bigEndian(Int(PNGChunks.checksum(named.span.bytes)))
  }

  private static func bigEndian(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}
