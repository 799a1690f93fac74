/// One axis of a resize: the positions of its samples and of its outputs.
struct ResampleAxis {
  /// The length of the axis in pixels.
  var length: Int
  /// The edges of the region, in pixels.
  var start: Double
  var extent: Double
  /// The number of outputs in the region.
  var count: Int
  /// The number of pixels per sample, if the picture was averaged in cells. The last cell may be smaller.
  var cell = 1

  /// The number of samples along the axis.
  var samples: Int { (length - 1) / cell + 1 }
  /// The number of samples per output.
  var scale: Double { extent / Double(count) / Double(cell) }
  /// A Boolean value that indicates whether each output equals one sample for every filter.
  var isCopy: Bool { scale == 1 && start == start.rounded() && cell == 1 }
  /// A Boolean value that indicates whether the axis equals its mirror image.
  var isSymmetric: Bool { cell == 1 && 2 * start + extent == Double(length) }

  /// Returns the number of pixels to average before filtering: 1, except for sides that only hostile files have.
  ///
  /// A filter reads each pixel of a side six times. That dominates for a picture of 100,000,000×1 pixels, so such sides
  /// are first averaged to 32 samples per output or more, which no 8-bit result reveals.
  static func cell(length: Int, extent: Double, count: Int) -> Int {
    let scale = extent / Double(count)
    return length > 65_536 && scale >= 64 ? Int(scale / 32) : 1
  }

  /// Returns the centre of an output, in samples.
  func center(_ output: Int) -> Double { start / Double(cell) + (Double(output) + 0.5) * scale }

  /// Returns the centre of a sample, in samples, and its weight: all but the last are equal.
  func sample(_ index: Int) -> (center: Double, weight: Double) {
    let first = index * cell
    let pixels = min(cell, length - first)
    guard pixels < cell else { return (Double(index) + 0.5, 1) }
    let share = Double(pixels) / Double(cell)
    return (Double(index) + share / 2, share)
  }

  /// Returns the samples within reach of an output; at least one.
  func window(_ output: Int, filter: ResampleFilter) -> Range<Int> {
    let center = center(output)
    if filter == .nearest {
      let sample = min(max(0, Int((center + ResampleFilter.tolerance).rounded(.down))), samples - 1)
      return sample..<(sample + 1)
    }
    // Only the box has weight on its very border.
    let radius = filter == .box ? filter.radius + ResampleFilter.tolerance : filter.radius
    let reach = radius * max(scale, 1)
    // Samples whose centre is within reach; one more where the last sample is smaller than the others.
    let low = min(max(0, Int((center - reach - 0.5).rounded(.up))), samples - 1)
    let high = Int((center + reach - 0.5).rounded(.down)) + (cell > 1 ? 2 : 1)
    return low..<max(low + 1, min(samples, high))
  }

  /// Returns the largest number of samples of an output.
  func longestWindow(filter: ResampleFilter) -> Int {
    if isCopy { return 1 }
    return (0..<count).reduce(1) { max($0, window($1, filter: filter).count) }
  }
}
