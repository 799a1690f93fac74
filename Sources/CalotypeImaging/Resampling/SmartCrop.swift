import CPixels

/// A search for the most interesting part of a picture.
///
/// Every pixel of a small copy has an interest; of all windows of the requested size the one with the largest sum wins.
/// The same picture gives the same window on every machine.
enum SmartCrop {
  /// The measure of interest.
  enum Interest: Hashable, Sendable {
    /// Contrast to the neighbours.
    case entropy
    /// Contrast, and colours that are stronger or closer to skin than the picture's mean.
    case attention
  }

  /// The longer side of the examined copy, in pixels.
  private static let side = 128

  /// Returns the origin of the best window of `size`, in pixels of `bitmap`; 0 along sides that are not longer than the
  /// window.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for a window without pixels,
  ///   ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
  static func window(
    of bitmap: Bitmap, size: PixelSize, interest: Interest
  ) throws(ImagingError) -> (x: Int, y: Int) {
    guard size.width > 0, size.height > 0 else {
      throw .invalidParameter(name: "crop", reason: "a window of \(size) has no pixels")
    }
    if size.width >= bitmap.width, size.height >= bitmap.height { return (0, 0) }
    let bitmap = try bitmap.converted(to: .rgba8)
    let longest = max(bitmap.width, bitmap.height)
    let scale = min(1, Double(Self.side) / Double(longest))
    func shrunk(_ length: Int) -> Int { max(1, Int((Double(length) * scale).rounded())) }
    let copy = try bitmap.resampled(
      to: PixelSize(width: shrunk(bitmap.width), height: shrunk(bitmap.height)), filter: .box)
    let horizontal = Axis(length: bitmap.width, window: size.width, samples: copy.width)
    let vertical = Axis(length: bitmap.height, window: size.height, samples: copy.height)
    let (x, y) = SummedAreaTable(copy, interest).best(horizontal, vertical)
    return (horizontal.origin(of: x), vertical.origin(of: y))
  }

  /// One axis of the search: windows in samples of the small copy.
  fileprivate struct Axis {
    /// The pixels of the picture that the window leaves over.
    let slack: Int
    /// Samples of the window.
    let window: Int
    /// The samples that it leaves over: one less than there are windows.
    let steps: Int

    init(length: Int, window: Int, samples: Int) {
      slack = max(0, length - window)
      let share = Double(min(window, length)) / Double(length) * Double(samples)
      self.window = min(samples, max(1, Int(share.rounded())))
      steps = slack == 0 ? 0 : samples - self.window
    }

    func origin(of step: Int) -> Int {
      steps == 0 ? slack / 2 : Int((Double(step) * Double(slack) / Double(steps)).rounded())
    }
  }
}

/// The sums of the interest above and left of each sample (Crow 1984): the sum of any window takes four look-ups.
private struct SummedAreaTable {
  let columns: Int
  var sums: [Int]

  init(_ bitmap: Bitmap, _ interest: SmartCrop.Interest) {
    let count = bitmap.size.pixelCount
    var luma = [UInt8](repeating: 0, count: count)
    var values = [UInt16](repeating: 0, count: count)
    bitmap.withUnsafeBytes { source in
      cpx_interest(
        source.baseAddress, bitmap.width, bitmap.height, interest == .attention ? 1 : 0, &luma, &values)
    }
    columns = bitmap.width + 1
    sums = Array(repeating: 0, count: columns * (bitmap.height + 1))
    for y in 0..<bitmap.height {
      var row = 0
      for x in 0..<bitmap.width {
        row += Int(values[y * bitmap.width + x])
        sums[(y + 1) * columns + x + 1] = sums[y * columns + x + 1] + row
      }
    }
  }

  private func sum(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> Int {
    let upper = y * columns + x
    let lower = upper + height * columns
    return sums[lower + width] - sums[lower] - sums[upper + width] + sums[upper]
  }

  /// Returns the position of the best window in steps. The middle of a window counts half again, so that the subject is
  /// not at its edge if there is a choice. Of equal windows the one nearest to the centre of the picture wins, then the
  /// first.
  func best(_ horizontal: SmartCrop.Axis, _ vertical: SmartCrop.Axis) -> (x: Int, y: Int) {
    let inset = (x: horizontal.window / 4, y: vertical.window / 4)
    var best = (x: 0, y: 0)
    var bestScore = (interest: -1, distance: 0)
    for y in 0...vertical.steps {
      for x in 0...horizontal.steps {
        let all = sum(x, y, horizontal.window, vertical.window)
        let middle = sum(
          x + inset.x, y + inset.y, horizontal.window - 2 * inset.x, vertical.window - 2 * inset.y)
        let across = 2 * x - horizontal.steps
        let down = 2 * y - vertical.steps
        let score = (interest: 2 * all + middle, distance: across * across + down * down)
        if score.interest > bestScore.interest
          || score.interest == bestScore.interest && score.distance < bestScore.distance
        {
          best = (x, y)
          bestScore = score
        }
      }
    }
    return best
  }
}
