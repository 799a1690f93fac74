import Calotype

/// Reduces each colour channel to a few levels, as a poster is printed with few inks.
///
/// ```swift
/// let request = ImageRequest(url: url, transforms: [.resize(width: 640), .posterize(levels: 4)])
/// ```
struct Posterize: ImageTransforming {
  /// The levels of each channel, from 2 to 64.
  var levels = 4

  /// The name, the version of the pixels, and all parameters: caches know the step by this text alone. Raise the version
  /// whenever the same picture comes out differently.
  var identity: String { "com.example.posterize/1:\(levels)" }

  /// Maps each value of a channel to the nearest level. A chain of colour steps shares one pass over the pixels.
  var colorOperation: ColorOperation? {
    get throws(ImagingError) {
      let steps = try checkedSteps()
      return ColorOperation(colors: { Self.nearest($0, steps: steps) })
    }
  }

  /// Returns the picture with the same bytes as ``colorOperation`` gives.
  func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
    let steps = try checkedSteps()
    let table = (0...255).map { UInt8(Self.nearest(Double($0), steps: steps).rounded()) }
    // Steps receive 8 bits a channel from requests and chains; a caller of `apply` may have others.
    let source = try bitmap.converted(to: .rgba8)
    return try Bitmap(size: source.size) { target throws(ImagingError) in
      try source.withUnsafeBytes { pixels throws(ImagingError) in
        for row in 0..<source.height {
          if Task.isCancelled { throw .cancelled }
          let start = row * source.bytesPerRow
          for index in stride(from: start, to: start + source.bytesPerRow, by: 4) {
            target[index] = table[Int(pixels[index])]
            target[index + 1] = table[Int(pixels[index + 1])]
            target[index + 2] = table[Int(pixels[index + 2])]
            target[index + 3] = pixels[index + 3]
          }
        }
      }
      return source.isOpaque
    }
  }

  /// The number of steps between levels.
  private func checkedSteps() throws(ImagingError) -> Double {
    guard (2...64).contains(levels) else {
      throw .invalidParameter(name: "posterize", reason: "levels is 2 to 64, not \(levels)")
    }
    return Double(levels - 1)
  }

  private static func nearest(_ value: Double, steps: Double) -> Double {
    (value / 255 * steps).rounded() / steps * 255
  }
}

extension ImageTransform {
  /// Reduces each colour channel to a few levels, from 2 to 64.
  static func posterize(levels: Int = 4) -> ImageTransform { ImageTransform(Posterize(levels: levels)) }
}
