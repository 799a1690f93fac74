/// The work of the steps of a rendering.
///
/// Decoding and encoding are predicted by CalotypeImaging. These are nanoseconds for each pixel of the result of a step, and
/// bytes for each pixel of an encoder's picture. They are the processor time of one machine on a photograph of 5 megapixels,
/// with the first touch of its memory; ``compose`` and ``encoderBytes`` are estimates.
public struct CostCoefficients: Hashable, Sendable {
  /// A copy: crop, canvas, rotation, reflection.
  public var move = 4.5
  /// Resampling for each pixel of the larger of both pictures.
  public var scale = 5.0
  /// The search for the part that attracts the eye, for each pixel of the picture before it.
  public var search = 4.0
  /// The search for a border, likewise.
  public var trim = 3.5
  /// A blur of any deviation.
  public var blur = 15.0
  /// Sharpening.
  public var sharpen = 15.0
  /// An operation on the colours of single pixels.
  public var color = 8.0
  /// A composition.
  public var compose = 8.0
  /// Microseconds of each step besides.
  public var step = 15.0
  /// Bytes of an encoder for each pixel, besides the picture.
  public var encoderBytes = 4.0

  /// Creates these coefficients.
  public init() {}
}
