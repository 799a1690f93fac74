/// The work of the steps of a rendering, measured on one machine with photographs.
///
/// Decoding and encoding are predicted by CalotypeImaging. These are nanoseconds for each pixel of the result of a step, and
/// bytes for each pixel of an encoder's picture.
public struct CostCoefficients: Hashable, Sendable {
  /// A copy: crop, canvas, rotation, reflection.
  public var move = 0.6
  /// Resampling for each pixel of the larger of both pictures.
  public var scale = 2.5
  /// The search for the part that attracts the eye, for each pixel of the picture before it.
  public var search = 12.0
  /// The search for a border, likewise.
  public var trim = 1.0
  /// A blur of any deviation.
  public var blur = 9.0
  /// Sharpening.
  public var sharpen = 14.0
  /// An operation on the colours of single pixels.
  public var color = 1.5
  /// A composition.
  public var compose = 2.5
  /// Microseconds of each step besides.
  public var step = 15.0
  /// Bytes of an encoder for each pixel, besides the picture.
  public var encoderBytes = 4.0

  /// Creates the measured coefficients.
  public init() {}
}
