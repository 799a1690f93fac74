extension Bitmap {
  /// Returns the picture with its colours converted to sRGB: relative colorimetric, without black point compensation.
  /// Alpha is copied exactly.
  ///
  /// | pixels | result |
  /// | --- | --- |
  /// | ``PixelFormat/rgba8``, ``PixelFormat/rgba16`` | the same format |
  /// | ``PixelFormat/gray8`` | the same with `keepsGray`, otherwise ``PixelFormat/rgba8`` if anything changes |
  /// | ``PixelFormat/cmyk8`` | ``PixelFormat/rgba8`` |
  ///
  /// A profile that is equivalent to sRGB, by its curves and primaries and not by its name, costs nothing: the same
  /// pixels are returned. The same holds for profiles that are damaged, of a class that has no colours (device links,
  /// named colours), or of another space than the pixels: they are ignored, as browsers do. A grey profile is used with
  /// RGB pixels if all of them are grey, because decoders may deliver a grey picture so; an RGB profile is used with
  /// grey pixels. CMYK without a usable profile becomes RGB by the plain product of light.
  ///
  /// In a calibration (`gAMA`, `cHRM`), an exponent within 0.001 of 0.45455 means the curve of sRGB; exponents
  /// outside 0.1 to 10 and primaries that span nothing make it unusable.
  ///
  /// - Parameters:
  ///   - profile: The colour profile of the pixels; `nil` is sRGB.
  ///   - keepsGray: Pass true to keep one byte per grey pixel.
  ///   - limits: The limits; the conversion stops after ``DecodeLimits/maxDuration``.
  ///   - pool: The pool for the memory of the result.
  /// - Throws: ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``,
  ///   ``ImagingError/limitExceeded(_:value:limit:)`` for the time; never because of the profile.
  /// - Complexity: O(pixels), and up to a second for a large profile that was not used recently. Blocks; call it off
  ///   the cooperative pool.
  public func converted(
    from profile: ColorProfile?, keepsGray: Bool = true, limits: DecodeLimits = .default,
    pool: PixelPool = .shared
  ) throws(ImagingError) -> Bitmap {
    try converted(
      from: profile, keepsGray: keepsGray, watch: DecodeLimits.DeadlineChecker(limits), pool: pool,
      cache: .shared)
  }

  func converted(
    from profile: ColorProfile?, keepsGray: Bool, watch: DecodeLimits.DeadlineChecker, pool: PixelPool,
    cache: ColorCache
  ) throws(ImagingError) -> Bitmap {
    let profile = profile ?? .sRGB
    switch format {
    case .rgba8:
      guard profile.isGray else {
        return try transformed(cache.conversion(from: profile, source: .rgba8), watch: watch, pool: pool)
      }
      guard case .table(let table) = cache.conversion(from: profile, source: .gray8),
        try isGray(as: UInt8.self, watch: watch)
      else { return self }
      return try mapped(rgba8: table, watch: watch, pool: pool)
    case .rgba16:
      guard profile.isGray else {
        return try transformed(cache.conversion(from: profile, source: .rgba16), watch: watch, pool: pool)
      }
      let conversion = cache.conversion(from: profile, source: .gray16)
      guard case .transform = conversion, try isGray(as: UInt16.self, watch: watch) else { return self }
      return try transformed(conversion, watch: watch, pool: pool)
    case .gray8:
      guard case .table(let table) = cache.conversion(from: profile, source: .gray8) else { return self }
      return keepsGray
        ? try mapped(toGray: table, watch: watch, pool: pool)
        : try mapped(toRGBA: table, watch: watch, pool: pool)
    case .cmyk8:
      let conversion = cache.conversion(from: profile, source: .cmyk8)
      guard case .transform = conversion else { return try converted(to: .rgba8, pool: pool) }
      return try transformed(conversion, watch: watch, pool: pool)
    }
  }

  /// Calls `body` with ranges of some tens of thousands of pixels, and checks the deadline between them.
  private func inBatches(
    _ watch: DecodeLimits.DeadlineChecker, _ body: (Range<Int>) throws(ImagingError) -> Void
  ) throws(ImagingError) {
    let batch = 1 << 15
    for start in stride(from: 0, to: size.pixelCount, by: batch) {
      try watch.check()
      try body(start..<min(start + batch, size.pixelCount))
    }
  }

  private func transformed(
    _ conversion: ColorConversion, watch: DecodeLimits.DeadlineChecker, pool: PixelPool
  ) throws(ImagingError) -> Bitmap {
    guard case .transform(let transform) = conversion else { return self }
    let isCMYK = format == .cmyk8
    let bytes = format.bytesPerPixel
    return try Bitmap(size: size, format: isCMYK ? .rgba8 : format, pool: pool) {
      target throws(ImagingError) in
      try withUnsafeBytes { source throws(ImagingError) in
        guard let from = source.baseAddress, let to = target.baseAddress else { return }
        try inBatches(watch) { pixels throws(ImagingError) in
          let input = from + pixels.lowerBound * bytes
          let output = to + pixels.lowerBound * bytes
          // The transform does not write alpha.
          if isCMYK {
            output.initializeMemory(as: UInt8.self, repeating: 255, count: pixels.count * bytes)
          } else {
            output.copyMemory(from: input, byteCount: pixels.count * bytes)
          }
          transform.convert(input, to: output, count: pixels.count)
        }
      }
      return isCMYK || isOpaque
    }
  }

  /// Returns true if red, green and blue are equal in all pixels.
  private func isGray<Sample: FixedWidthInteger>(
    as sample: Sample.Type, watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Bool {
    try withUnsafeBytes { source throws(ImagingError) in
      let samples = source.bindMemory(to: sample)
      var difference: Sample = 0
      try inBatches(watch) { pixels throws(ImagingError) in
        guard difference == 0 else { return }
        for index in pixels {
          difference |= samples[4 * index] ^ samples[4 * index + 1]
          difference |= samples[4 * index] ^ samples[4 * index + 2]
        }
      }
      return difference == 0
    }
  }

  private func mapped(
    rgba8 table: [UInt32], watch: DecodeLimits.DeadlineChecker, pool: PixelPool
  ) throws(ImagingError) -> Bitmap {
    // The bytes of a pixel are in memory order, so alpha is the last of them.
    let alpha = UInt32(littleEndian: 0xFF00_0000)
    return try Bitmap(size: size, format: .rgba8, pool: pool) { target throws(ImagingError) in
      try withUnsafeBytes { source throws(ImagingError) in
        let grays = source.bindMemory(to: UInt8.self)
        let pixels = source.bindMemory(to: UInt32.self)
        let output = target.bindMemory(to: UInt32.self)
        try inBatches(watch) { range throws(ImagingError) in
          for index in range {
            output[index] = (table[Int(grays[4 * index])] & ~alpha) | (pixels[index] & alpha)
          }
        }
      }
      return isOpaque
    }
  }

  private func mapped(
    toRGBA table: [UInt32], watch: DecodeLimits.DeadlineChecker, pool: PixelPool
  ) throws(ImagingError) -> Bitmap {
    try Bitmap(size: size, format: .rgba8, pool: pool) { target throws(ImagingError) in
      try withUnsafeBytes { source throws(ImagingError) in
        let output = target.bindMemory(to: UInt32.self)
        try inBatches(watch) { range throws(ImagingError) in
          for index in range { output[index] = table[Int(source[index])] }
        }
      }
      return true
    }
  }

  private func mapped(
    toGray table: [UInt32], watch: DecodeLimits.DeadlineChecker, pool: PixelPool
  ) throws(ImagingError) -> Bitmap {
    let curve = table.map { pixel in
      Swift.withUnsafeBytes(of: pixel) { Luma.of(red: $0[0], green: $0[1], blue: $0[2]) }
    }
    return try Bitmap(size: size, format: .gray8, pool: pool) { target throws(ImagingError) in
      try withUnsafeBytes { source throws(ImagingError) in
        try inBatches(watch) { range throws(ImagingError) in
          for index in range { target[index] = curve[Int(source[index])] }
        }
      }
      return true
    }
  }
}

extension ColorProfile {
  /// A Boolean value that indicates whether the profile is for pixels of one sample.
  fileprivate var isGray: Bool {
    if case .icc(let bytes) = self { ColorEngine.isGray(bytes) } else { false }
  }
}
