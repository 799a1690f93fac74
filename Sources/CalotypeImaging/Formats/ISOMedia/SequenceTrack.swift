/// A track of pictures (ISO/IEC 23008-12, 7; AV1-ISOBMFF): an animation.
package struct SequenceTrack: Hashable, Sendable {
  /// The identifier of the track.
  package internal(set) var id: UInt32 = 0
  /// The kind: `pict`, `vide`, or `auxv` for alpha.
  package internal(set) var handler = FourCC(rawValue: 0)
  /// The size of the pictures, from the sample entry or the track.
  package internal(set) var size = PixelSize(width: 0, height: 0)
  /// The number of units in a second.
  package internal(set) var timescale: UInt32 = 0
  /// The number of plays; 0 repeats for ever.
  package internal(set) var plays = 0
  /// The tracks that this one is auxiliary to.
  package internal(set) var auxiliaryTo: [UInt32] = []
  /// The properties in the sample entry.
  package internal(set) var properties: [ItemProperty] = []
  /// The samples.
  package internal(set) var table = SampleTable()

  /// The duration of each frame, rounded to milliseconds, after the rule that 10 ms or less means 100 ms.
  package var durations: [Duration] {
    table.durations.map { units in
      let milliseconds = (UInt64(units) * 1000 + UInt64(timescale) / 2) / UInt64(max(1, timescale))
      return .milliseconds(Int64(UInt64(units) * 1000 <= 10 * UInt64(timescale) ? 100 : milliseconds))
    }
  }
}
