import CalotypeImaging
import FoundationEssentials

/// Encodes a small picture made of the bytes with options made of them, and decodes it again.
enum EncodeTarget {
  static func run(_ input: FuzzInput) throws {
    var numbers = NumberReader(input.bytes)
    let options = options(&numbers)
    guard let bitmap = try bitmap(&numbers, input) else { return }
    let image = Image(bitmap: bitmap)
    let encoded: Data
    do throws(ImagingError) {
      encoded = try CoderRegistry.standard.encode(image, as: options)
    } catch {
      switch error {
      case .invalidParameter, .unsupportedFormat, .limitExceeded: return
      // AV1 has at most 12 bits, and nothing lossless is lossy without a word.
      case .encodingFailed where options.format == .avif && options.isLossless && bitmap.format == .rgba16:
        return
      // No quality may be low enough for the bytes that were asked for.
      case .cannotFit where options.maxFileSize != nil: return
      default: throw FuzzFailure("\(bitmap.size) \(bitmap.format) as \(options): \(error)")
      }
    }
    if let most = options.maxFileSize {
      try FuzzFailure.unless(encoded.count <= most, "\(encoded.count) bytes instead of at most \(most)")
    }
    let decoded: Image
    do throws(ImagingError) {
      decoded = try CoderRegistry.standard.decode(encoded)
    } catch {
      throw FuzzFailure("what \(options) wrote cannot be read: \(error)")
    }
    try FuzzFailure.unless(
      options.maxPixelSize != nil || decoded.bitmap.size == bitmap.size,
      "\(bitmap.size) became \(decoded.bitmap.size)")
    try FuzzFailure.unless(
      decoded.bitmap.size.pixelCount <= bitmap.size.pixelCount, "\(bitmap.size) became \(decoded.bitmap.size)"
    )
    if options.format == .jpeg {
      let small: Data
      do throws(ImagingError) {
        small = try JPEGOptimizer.optimized(encoded)
      } catch { throw FuzzFailure("what \(options) wrote cannot be optimized: \(error)") }
      try FuzzFailure.unless(small.count <= encoded.count, "\(encoded.count) bytes became \(small.count)")
      try FuzzFailure.unless(
        try CoderRegistry.standard.decode(small).bitmap == decoded.bitmap,
        "optimizing \(options) changed pixels")
    }
    let isExact =
      (options.format == .png || options.format == .apng) && !options.usesPalette
      || options.format == .webp && options.isLossless
    if isExact, !options.clearsHiddenColors, options.maxPixelSize == nil, options.maxFileSize == nil,
      bitmap.format == .rgba8
    {
      try FuzzFailure.unless(decoded.bitmap == bitmap, "\(options.format) changed pixels")
    }
  }

  private static func options(_ numbers: inout NumberReader) -> EncodeOptions {
    var options = EncodeOptions(
      format: numbers.element(of: [.jpeg, .png, .webp, .gif, .apng, .avif]),
      quality: Int(Int8(bitPattern: numbers.byte())))
    let flags = numbers.byte()
    options.isLossless = flags & 1 != 0
    options.isProgressive = flags & 2 != 0
    options.usesSharpYUV = flags & 4 != 0
    options.usesPalette = flags & 8 != 0
    options.dithers = flags & 16 == 0
    options.keeps = flags & 32 == 0 ? [] : Set(ImageMetadata.Kind.allCases)
    let more = numbers.byte()
    options.effort = EncodeOptions.Effort.allCases[Int(more & 3) % EncodeOptions.Effort.allCases.count]
    options.subsampling =
      EncodeOptions.Subsampling.allCases[Int(more >> 2 & 3) % EncodeOptions.Subsampling.allCases.count]
    options.alphaQuality = flags & 64 == 0 ? 100 : Int(Int8(bitPattern: numbers.byte()))
    if more & 16 != 0 { options.maxFileSize = Int(numbers.integer(UInt16.self)) }
    if more & 32 != 0 { options.maxPixelSize = Int(Int8(bitPattern: numbers.byte())) }
    if more & 128 != 0 {
      let kind = numbers.byte()
      options.jpegTables = kind & 1 == 0 ? .fitted : .standard
      let bounds = [Int(numbers.byte() % 101), Int(numbers.byte() % 101)].sorted()
      if kind & 2 != 0 {
        options.qualityTarget = .target(
          kind & 4 == 0 ? .ssimulacra2(Double(numbers.byte() % 101)) : .dssim(Double(numbers.byte()) / 5000),
          range: bounds[0]...bounds[1])
      }
    }
    if more & 64 != 0 {
      options.background = PixelColor(
        red: numbers.byte(), green: numbers.byte(), blue: numbers.byte())
    }
    if more & 128 != 0 { addFurther(to: &options, &numbers) }
    return options
  }

  /// Adds options of few formats.
  private static func addFurther(to options: inout EncodeOptions, _ numbers: inout NumberReader) {
    let flags = numbers.byte()
    options.clearsHiddenColors = flags & 1 != 0
    options.isInterlaced = flags & 2 != 0
    options.paletteSize = Int(numbers.byte()) + 1
    options[GIFSetting.loss] = flags & 4 != 0 ? Int(numbers.byte() % 70) : nil
    options[GIFSetting.frameTolerance] = flags & 8 != 0 ? Int(numbers.byte() % 70) : nil
    if flags & 16 != 0 {
      options[numbers.element(of: WebPSetting.allCases)] = Int(Int8(bitPattern: numbers.byte()))
    }
    if flags & 32 != 0 {
      let automatic = EncodeOptions.automatic(among: flags & 64 != 0 ? [.png, .jpeg] : [.webp, .gif, .png])
      options.format = automatic.format
      options.extras.merge(automatic.extras) { $1 }
    }
  }

  /// At most 6×6, now and then 20×20; pixels repeat what is left of the bytes.
  private static func bitmap(_ numbers: inout NumberReader, _ input: FuzzInput) throws -> Bitmap? {
    let (width, height) = (Int(numbers.byte()), Int(numbers.byte()))
    let most = width >= 250 ? 20 : 6
    let size = PixelSize(width: width % most + 1, height: height % most + 1)
    let formats: [PixelFormat] = [.rgba8, .rgba8, .gray8, .rgba16]
    let format = numbers.element(of: formats)
    let isOpaque = format == .gray8 || numbers.byte() & 1 != 0
    let pattern = Array(numbers.rest())
    return try Bitmap(size: size, format: format) { pixels in
      for index in pixels.indices { pixels[index] = pattern.isEmpty ? 0 : pattern[index % pattern.count] }
      if isOpaque, format != .gray8 {
        let bytesPerSample = format.bytesPerPixel / 4
        for pixel in stride(from: 0, to: pixels.count, by: format.bytesPerPixel) {
          for byte in 0..<bytesPerSample { pixels[pixel + 3 * bytesPerSample + byte] = 255 }
        }
      }
      return isOpaque
    }
  }
}
