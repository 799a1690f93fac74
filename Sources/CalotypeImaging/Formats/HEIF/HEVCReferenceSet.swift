#if HEIF
/// A set of the pictures that others refer to (ITU-T H.265, 7.4.8). Still pictures refer to none.
struct HEVCReferenceSet {
  /// The largest number of pictures.
  private static let maxCount = 16

  /// The distances of earlier and of later pictures.
  private(set) var earlier: [Int] = []
  private(set) var later: [Int] = []

  var count: Int { earlier.count + later.count }

  /// Reads the set with an index; `sets` are the sets before, of `total` in the sequence parameters. The set of a slice
  /// has the index `total`.
  init(
    _ reader: inout HEVCBitReader, index: Int, sets: [HEVCReferenceSet], total: Int
  ) throws(ImagingError) {
    guard index > 0, try reader.flag() else {
      let (earlierCount, laterCount) = (
        try reader.unsigned(upTo: Self.maxCount), try reader.unsigned(upTo: Self.maxCount)
      )
      earlier = try Self.distances(&reader, count: earlierCount, sign: -1)
      later = try Self.distances(&reader, count: laterCount, sign: 1)
      try check()
      return
    }
    // The differences to an earlier set.
    let back = index == total ? try reader.unsigned(upTo: index - 1) + 1 : 1
    guard sets.indices.contains(index - back) else { throw HEVCBitReader.corrupt("refer to a missing set") }
    let source = sets[index - back]
    let isNegative = try reader.flag()
    let size = try reader.unsigned(upTo: 0x7FFF) + 1
    let shift = isNegative ? -size : size
    var isUsed: [Bool] = []
    for _ in 0...source.count {
      // What the picture itself does not use, later ones may.
      isUsed.append(try reader.flag() ? true : try reader.flag())
    }
    let sourceCount = source.earlier.count
    func shifted(_ distances: [Int], from first: Int) -> [Int] {
      distances.enumerated().filter { isUsed[first + $0.offset] }.map { $0.element + shift }
    }
    let own = isUsed[source.count] ? [shift] : []
    let fromEarlier = shifted(source.earlier, from: 0)
    let fromLater = shifted(source.later, from: sourceCount)
    // In order of their distance (7-61, 7-62).
    earlier = fromLater.reversed().filter { $0 < 0 } + own.filter { $0 < 0 } + fromEarlier.filter { $0 < 0 }
    later = fromEarlier.reversed().filter { $0 > 0 } + own.filter { $0 > 0 } + fromLater.filter { $0 > 0 }
    try check()
  }

  private func check() throws(ImagingError) {
    guard count <= Self.maxCount else {
      throw HEVCBitReader.corrupt("refer to \(count) pictures where \(Self.maxCount) is the most")
    }
  }

  private static func distances(
    _ reader: inout HEVCBitReader, count: Int, sign: Int
  ) throws(ImagingError) -> [Int] {
    var distances: [Int] = []
    for _ in 0..<count {
      let step = try reader.unsigned(upTo: 0x7FFF) + 1
      distances.append((distances.last ?? 0) + sign * step)
      // Whether the picture itself uses it.
      try reader.skip(1)
    }
    return distances
  }
}
#endif
