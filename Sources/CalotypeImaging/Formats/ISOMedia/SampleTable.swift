/// The samples of a track: their places and times (ISO/IEC 14496-12, 8.6 to 8.7).
package struct SampleTable: Hashable, Sendable {
  /// The positions of the samples in the file.
  package internal(set) var samples: [Range<Int>] = []
  /// The duration of each sample, in units of the track.
  package internal(set) var durations: [UInt32] = []
  /// The indices of the samples that can be decoded alone; `nil` for all of them.
  package internal(set) var keySamples: [Int]?

  /// Returns whether a sample can be decoded alone. The first one can.
  package func isKey(_ index: Int) -> Bool { lastKey(before: index + 1) == index }

  /// Returns the last sample before another that can be decoded alone; 0 if there is none.
  package func lastKey(before index: Int) -> Int {
    guard let keySamples else { return max(0, index - 1) }
    var (low, high) = (0, keySamples.count)
    while low < high {
      let middle = (low + high) / 2
      if keySamples[middle] < index { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? max(0, keySamples[low - 1]) : 0
  }
}
