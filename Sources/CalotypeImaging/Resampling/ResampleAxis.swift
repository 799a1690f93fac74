/// One axis of a resize: where its samples are, and what is wanted of them.
struct ResampleAxis {
  /// Pixels along the axis.
  var length: Int
  /// The edges of the region, in pixels.
  var start: Double
  var extent: Double
  /// Outputs that the region is divided into.
  var count: Int
  /// Pixels that one sample stands for, because the picture was averaged in cells. The last may be smaller.
  var cell = 1

  /// Samples along the axis.
  var samples: Int { (length - 1) / cell + 1 }
  /// Samples per output.
  var scale: Double { extent / Double(count) / Double(cell) }
  /// Whether each output is one sample, whatever the filter.
  var isCopy: Bool { scale == 1 && start == start.rounded() && cell == 1 }
  /// Whether the mirrored axis is the same axis.
  var isSymmetric: Bool { cell == 1 && 2 * start + extent == Double(length) }

  /// How many pixels to average before filtering: 1, but for sides that only hostile files have.
  ///
  /// A filter looks at each pixel of a side six times. In a picture of 100,000,000×1 pixels nothing outweighs
  /// that, so such sides are first averaged to 32 samples per output or more, which no 8-bit result shows.
  static func cell(length: Int, extent: Double, count: Int) -> Int {
    let scale = extent / Double(count)
    return length > 65_536 && scale >= 64 ? Int(scale / 32) : 1
  }

  /// The centre of an output, in samples.
  func center(_ output: Int) -> Double { start / Double(cell) + (Double(output) + 0.5) * scale }

  /// Where the centre of a sample is, in samples, and how much it counts: all but the last the same.
  func sample(_ index: Int) -> (center: Double, weight: Double) {
    let first = index * cell
    let pixels = min(cell, length - first)
    guard pixels < cell else { return (Double(index) + 0.5, 1) }
    let share = Double(pixels) / Double(cell)
    return (Double(index) + share / 2, share)
  }

  /// The samples that an output may see; at least one.
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

  /// Samples that the output sees that sees most.
  func longestWindow(filter: ResampleFilter) -> Int {
    if isCopy { return 1 }
    return (0..<count).reduce(1) { max($0, window($1, filter: filter).count) }
  }
}
