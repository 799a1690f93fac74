import FoundationEssentials
import Glibc

extension CoderRegistry {
  /// The result of an attempt.
  typealias Attempt = (data: Data, quality: Int)

  /// The encodes of a search for a measured quality.
  private static let qualityAttempts = 3
  /// The encodes of a search for a size, besides the first; four are rarely needed.
  private static let sizeAttempts = 8

  /// Searches the quality whose picture measures as the target says, and returns its file: of the attempts that are good enough, the
  /// smallest; the best one without any.
  ///
  /// A picture below 11 by 11 pixels cannot be measured: it is encoded at the quality that pictures need in the mean.
  ///
  /// - Parameters:
  ///   - image: The picture as it is encoded.
  ///   - options: The options, with a target.
  ///   - encode: Encodes at the quality of its options.
  func encoded(
    _ image: Image, as options: EncodeOptions, to target: QualityTarget,
    _ encode: (EncodeOptions) throws(ImagingError) -> Data
  ) throws(ImagingError) -> Attempt {
    try target.check()
    let curves = QualityCurves.of(options.format, target.measure)
    let goal = target.measure.level(of: target.measure.value)
    var search = TargetSearch(
      curves: curves, settings: Self.qualities(options.format, in: target.range), goal: goal)
    var options = options
    options.qualityTarget = nil
    // The choice is made once, for the quality that is expected.
    options.quality = Int(min(max(curves.setting(forMean: goal), 0), 100))
    options = try options.withSubsampling(for: image.bitmap)
    let reference = try measurable(image, options)
    var choice = TargetChoice<Attempt>(target)
    for _ in 0..<Self.qualityAttempts {
      guard !choice.isClose, let quality = search.next() else { break }
      options.quality = quality
      let data = try encode(options)
      guard let reference else { return (data, quality) }
      let measured = try measure(data, reference, target.measure)
      search.add(target.measure.level(of: measured), at: quality)
      choice.add((data, quality), byteCount: data.count, measured: measured)
    }
    guard let file = choice.file else { return (try encode(options), options.quality) }
    return file
  }

  /// Searches the number of colours of a palette, and whether to spread errors, so that the picture measures as the target says, and
  /// returns its file as ``encoded(_:as:to:_:)`` does.
  ///
  /// - Parameters:
  ///   - image: The picture as it is encoded, of RGBA8.
  ///   - options: The options, with a palette and a target.
  ///   - encode: Encodes with the palette size of its options.
  func encodedWithPalette(
    _ image: Image, as options: EncodeOptions, to target: QualityTarget,
    _ encode: (EncodeOptions) throws(ImagingError) -> Data
  ) throws(ImagingError) -> Data {
    try target.check()
    var options = options
    options.qualityTarget = nil
    guard 2...256 ~= options.paletteSize, let reference = try measurable(image, options) else {
      return try encode(options)
    }
    let measure = target.measure
    let goal = measure.level(of: measure.value)
    let least =
      switch measure {
      case .ssimulacra2(let score): score - target.tolerance
      case .dssim(let value): value + target.tolerance
      }
    var search = PaletteSearch(
      measure, detail: image.bitmap.colorDetail(), most: options.paletteSize, mayDither: options.dithers,
      goal: goal, tolerance: goal - measure.level(of: least))
    var choice = TargetChoice<Data>(target)
    for _ in 0..<Self.qualityAttempts {
      guard !choice.isClose, let setting = search.next() else { break }
      (options.paletteSize, options.dithers) = (setting.colors, setting.dithers)
      let data = try encode(options)
      let measured = try self.measure(data, reference, measure)
      search.add(measure.level(of: measured), with: setting)
      choice.add(data, byteCount: data.count, measured: measured)
    }
    guard let file = choice.file else { return try encode(options) }
    return file
  }

  /// Returns the qualities of a range whose files differ: many of AVIF have the same level of libaom.
  static func qualities(_ format: ImageFormat, in range: ClosedRange<Int>) -> [Int] {
    #if AVIF
    if format == .avif {
      return range.filter {
        $0 == range.lowerBound || AVIFQuality.level($0) != AVIFQuality.level($0 - 1)
      }
    }
    #endif
    return Array(range)
  }

  /// Returns the picture that attempts are compared with; `nil` if it is too small.
  private func measurable(_ image: Image, _ options: EncodeOptions) throws(ImagingError) -> ImageQuality? {
    guard image.bitmap.width >= 11, image.bitmap.height >= 11, image.bitmap.format != .cmyk8 else {
      return nil
    }
    var bitmap = try image.bitmap.converted(to: .rgba8)
    // JPEG has no transparency: what is encoded is the picture on the background.
    if options.format == .jpeg, !bitmap.isOpaque {
      var background = options.background
      background.alpha = 255
      bitmap = try Transforms.Flatten(background: background).apply(to: bitmap)
    }
    return try ImageQuality(original: bitmap)
  }

  private func measure(
    _ data: Data, _ reference: ImageQuality, _ measure: QualityTarget.Measure
  ) throws(ImagingError) -> Double {
    // The file was made here, of a picture that is in memory: limits for files from elsewhere do not apply.
    var decoding = DecodeOptions(colors: .asStored)
    decoding.limits = DecodeLimits(
      maxPixels: 1 << 40, maxSide: 1 << 40, maxBytes: 1 << 40, maxTotalPixels: 1 << 40,
      maxMemoryBytes: 1 << 50, maxExpansion: 1 << 20, maxDuration: .seconds(3600))
    let decoded = try decode(data, options: decoding).bitmap
    switch measure {
    case .ssimulacra2: return try reference.ssimulacra2(of: decoded)
    case .dssim: return try reference.dssim(of: decoded)
    }
  }

  /// Encodes at the best quality, at most that of a first attempt, whose file is within the limit of its options; the smallest
  /// file if there is none and the limit is not required.
  ///
  /// The logarithm of the size grows evenly with the mean score of photographs. The search ends with a file that takes at least
  /// 0.97 of the limit, or between two neighbouring qualities.
  func fitted(
    _ full: Attempt, _ options: EncodeOptions, usesQuality: Bool,
    _ encode: (EncodeOptions) throws(ImagingError) -> Data
  ) throws(ImagingError) -> Data {
    guard let limit = options.maxFileSize, full.data.count > limit else { return full.data }
    guard usesQuality, full.quality > 0 else {
      if !options.requiresMaxFileSize { return full.data }
      throw .cannotFit(byteCount: full.data.count, limit: limit)
    }
    let scale = QualityCurves.of(options.format, .ssimulacra2(0))
    // A file doubles within about 20 points. The search is for sizes just below the limit.
    var search = QualitySearch(
      scale: scale, range: 0...(full.quality - 1), goal: log(Double(limit) * 0.985), slope: 0.035)
    search.add(log(Double(full.data.count)), at: full.quality)
    var best: Attempt?
    var smallest = full.data
    var options = options
    options.qualityTarget = nil
    for _ in 0..<Self.sizeAttempts {
      guard let quality = search.next() else { break }
      options.quality = quality
      let data = try encode(options)
      if data.count < smallest.count { smallest = data }
      search.add(log(Double(data.count)), at: quality)
      if data.count <= limit {
        if best.map({ $0.quality < quality }) ?? true { best = (data, quality) }
        if Double(data.count) >= Double(limit) * 0.97 { break }
      }
    }
    if let best { return best.data }
    options.quality = 0
    let least = try encode(options)
    if least.count <= limit { return least }
    if least.count < smallest.count { smallest = least }
    if !options.requiresMaxFileSize { return smallest }
    throw .cannotFit(byteCount: smallest.count, limit: limit)
  }
}
