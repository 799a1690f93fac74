/// The samples of a track: their places and times (ISO/IEC 14496-12, 8.6 to 8.7).
package struct SampleTable: Hashable, Sendable {
  /// The positions of the samples in the file.
  package internal(set) var samples: [Range<Int>] = []
  /// The duration of each sample, in units of the track.
  package internal(set) var durations: [UInt32] = []
  /// The indices of the samples that can be decoded alone; `nil` for all of them.
  package internal(set) var keySamples: [Int]?
}
