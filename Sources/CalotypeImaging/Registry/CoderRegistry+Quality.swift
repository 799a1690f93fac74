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
  /// A picture below 11 by 11 pixels cannot be measured: it is encoded at the quality that photographs need in the mean.
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
    let scale = QualityScale(options.format, target.measure)
    let wanted: Double =
      switch target.measure {
      case .ssimulacra2(let score): score
      case .dssim(let dissimilarity): dissimilarity
      }
    let goal = QualityScale.level(wanted, of: target.measure)
    var search = QualitySearch(scale: scale, range: target.range, goal: goal, slope: 1)
    var options = options
    options.qualityTarget = nil
    // The choice is made once, for the quality that is expected.
    options.quality = Int(min(max(scale.quality(for: goal), 0), 100))
    options = try options.withSubsampling(for: image.bitmap)
    let reference = try measurable(image, options)
    var best: (attempt: Attempt, level: Double, isGood: Bool)?
    for _ in 0..<(reference == nil ? 1 : Self.qualityAttempts) {
      guard let quality = search.next(first: scale.quality(for: goal)) else { break }
      options.quality = quality
      let data = try encode(options)
      guard let reference else { return (data, quality) }
      let measured = try measure(data, reference, target.measure, isLike: image)
      let level = QualityScale.level(measured, of: target.measure)
      search.add(level, at: quality)
      let isGood =
        switch target.measure {
        case .ssimulacra2: measured >= wanted - target.tolerance
        case .dssim: measured <= wanted + target.tolerance
        }
      let isBetter =
        best.map { other in
          switch (isGood, other.isGood) {
          case (true, true): data.count < other.attempt.data.count
          case (false, false): level > other.level
          case (let mine, _): mine
          }
        } ?? true
      if isBetter { best = ((data, quality), level, isGood) }
      // A good attempt that is hardly too good ends the search.
      if abs(measured - wanted) <= target.tolerance / 2 { break }
    }
    guard let best else { return (try encode(options), options.quality) }
    return best.attempt
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
    _ data: Data, _ reference: ImageQuality, _ measure: QualityTarget.Measure, isLike image: Image
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
    let scale = QualityScale(options.format, .ssimulacra2(0))
    // A file doubles within about 20 points. The search is for sizes just below the limit.
    var search = QualitySearch(
      scale: scale, range: 0...(full.quality - 1), goal: log(Double(limit) * 0.985), slope: 0.035)
    search.add(log(Double(full.data.count)), at: full.quality)
    var best: Attempt?
    var smallest = full.data
    var options = options
    options.qualityTarget = nil
    for _ in 0..<Self.sizeAttempts {
      guard let quality = search.next(first: 0) else { break }
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
