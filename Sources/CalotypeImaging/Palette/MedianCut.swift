/// An algorithm that repeatedly divides the box of colours with the largest variance, and takes the mean of each box
/// (Heckbert 1982, with the variance cuts of Wan, Wong and Prusinkiewicz 1988).
enum MedianCut {
  private struct Box {
    var range: Range<Int>
    /// The sum of squared distances from the mean, weighted by visibility and by number.
    var error: Double
    var axis: Int
    var mean: SIMD4<Double>
  }

  /// The visibility of a difference in red, green, blue or alpha.
  private static let weights = SIMD4<Double>(0.55, 1, 0.4, 1)

  /// Returns at most `count` colours; transparent black for a picture without visible pixels.
  ///
  /// - Throws: ``ImagingError/cancelled``.
  static func colors(of histogram: PaletteHistogram, count: Int) throws(ImagingError) -> [Palette.Color] {
    var points = histogram.cells.map { (color: $0.mean, weight: Double($0.count)) }
    guard !points.isEmpty, count > 0 else { return [Palette.Color(pixel: 0)] }
    var boxes = [box(points, 0..<points.count)]
    while boxes.count < count {
      if Task.isCancelled { throw .cancelled }
      guard let worst = boxes.indices.max(by: { boxes[$0].error < boxes[$1].error }), boxes[worst].error > 0
      else {
        break
      }
      let box = boxes[worst]
      points[box.range].sort { $0.color[box.axis] < $1.color[box.axis] }
      let middle = cut(points, box)
      boxes[worst] = self.box(points, box.range.lowerBound..<middle)
      boxes.append(self.box(points, middle..<box.range.upperBound))
    }
    return boxes.map { color($0.mean) }
  }

  private static func color(_ mean: SIMD4<Double>) -> Palette.Color {
    let rounded = mean.rounded(.toNearestOrAwayFromZero)
    return Palette.Color(
      red: UInt8(rounded.x), green: UInt8(rounded.y), blue: UInt8(rounded.z), alpha: UInt8(rounded.w))
  }

  private static func box(
    _ points: [(color: SIMD4<Double>, weight: Double)], _ range: Range<Int>
  ) -> Box {
    var (sum, squares, total) = (SIMD4<Double>.zero, SIMD4<Double>.zero, 0.0)
    for point in points[range] {
      sum += point.color * point.weight
      squares += point.color * point.color * point.weight
      total += point.weight
    }
    let mean = sum / total
    var errors = (squares - mean * mean * total) * weights
    // Rounding may leave a trace of error in a box of one colour.
    if range.count == 1 { errors = .zero }
    let axis = (0..<4).max { errors[$0] < errors[$1] } ?? 0
    return Box(range: range, error: range.count == 1 ? 0 : max(0, errors.sum()), axis: axis, mean: mean)
  }

  /// Returns the position of the cut: between the two colours where it leaves the smallest error on both sides, along
  /// the box' axis.
  private static func cut(_ points: [(color: SIMD4<Double>, weight: Double)], _ box: Box) -> Int {
    var (all, total) = (SIMD4<Double>.zero, 0.0)
    for point in points[box.range] {
      all += point.color * point.weight
      total += point.weight
    }
    var (left, weight) = (SIMD4<Double>.zero, 0.0)
    var (best, place) = (-1.0, box.range.lowerBound + 1)
    for index in box.range.dropLast() {
      left += points[index].color * points[index].weight
      weight += points[index].weight
      // The variance between both sides: the squared sums over the weights.
      let right = all - left
      let explained = (left * left * weights / weight + right * right * weights / (total - weight)).sum()
      if explained > best {
        best = explained
        place = index + 1
      }
    }
    return place
  }
}
