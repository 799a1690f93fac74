/// A property of an item (ISO/IEC 23008-12, 6.5; AV1-ISOBMFF; ISO/IEC 14496-15).
package enum ItemProperty: Hashable, Sendable {
  /// `ispe`: the size before transformations.
  case size(width: UInt32, height: UInt32)
  /// `pixi`: bits of each channel.
  case depths([UInt8])
  /// `av1C`, `hvcC` and other configurations of decoders.
  case codec(CodecConfiguration)
  /// `colr` with an ICC profile, as a range of the file.
  case profile(Range<Int>)
  /// `colr` with code points (ITU-T H.273).
  case codePoints(CodePoints)
  /// `irot`: quarter turns counter-clockwise.
  case rotation(Int)
  /// `imir`: whether left and right are exchanged, instead of top and bottom.
  case mirror(leftRight: Bool)
  /// `clap`: the part of the picture to show.
  case aperture(CleanAperture)
  /// `auxC`, and `auxi` of a track: the kind of an auxiliary picture, as a URN.
  case auxiliary(String)
  /// `a1lx`: bytes of each layer but the last; those of 0 are not there (AV1-ISOBMFF, 2.3.2.3).
  case layerSizes([UInt32])
  /// `a1op`: the operating point.
  case operatingPoint(UInt8)
  /// `lsel`: the layer to show; 0xFFFF for all of them, one after the other.
  case layer(UInt16)
  /// `clli`: the brightest pixel, and the brightest frame on average, in cd/m².
  case light(maxContent: UInt16, maxFrameAverage: UInt16)
  /// `mdcv`: the peak of the mastering display in cd/m².
  case mastering(peak: UInt32)
  /// A property that describes and does not have to be understood.
  case descriptive(FourCC)
  /// An unknown property.
  case unknown(FourCC)

  /// Colours by code points.
  package struct CodePoints: Hashable, Sendable {
    package let primaries: UInt16
    package let transfer: UInt16
    package let matrix: UInt16
    package let isFullRange: Bool
  }
}
