extension JXLHeader {
  /// The description of a still image, or of the first frame of an animation.
  package var info: ImageInfo {
    var info = ImageInfo(
      format: .jxl, size: size, loopCount: plays ?? 1, hasAlpha: hasAlpha, bitDepth: bitDepth,
      orientation: orientation, dynamicRange: dynamicRange)
    info.layout.isKnown = true
    info.layout.samplesPerPixel = Double(3 + channels.count)
    info.layout.isLossless = !isXYB
    info.layout.hasProfile = !isSRGB
    // The library undoes it in floating point.
    info.layout.needsCanvas = isPremultiplied || isInked
    return info
  }

  /// The description of an image with these frames.
  func info(of survey: JXLSurvey) -> ImageInfo {
    var info = info
    info.layout.isLossless = info.layout.isLossless || survey.isAnyModular
    let count = max(1, survey.frames.count)
    for _ in 0..<count {
      info.layout.frames.add(
        stored: survey.largestPixelCount, on: size.pixelCount, beside: survey.keptPixelCount)
    }
    info.frameCount = count
    guard count > 1 else {
      info.loopCount = 1
      return info
    }
    info.durations = survey.frames.map { .milliseconds(milliseconds(of: $0.ticks)) }
    return info
  }

  /// Returns the display time of a frame in milliseconds, rounded; 10 ms or less becomes 100 ms, as in browsers.
  private func milliseconds(of ticks: UInt32) -> Int64 {
    let thousandths = UInt64(ticks) * UInt64(ticksPerSecond.denominator) * 1000
    let divisor = UInt64(max(1, ticksPerSecond.numerator))
    return thousandths <= 10 * divisor ? 100 : Int64((thousandths + divisor / 2) / divisor)
  }
}
