/// The animation of an APNG (PNG, third edition, 4.9 and 11.3.6) up to its first flaw.
struct PNGAnimation: Hashable, Sendable {
  /// The number of plays; 0 repeats for ever.
  var plays: Int
  /// The number of frames in the acTL chunk.
  var announcedFrames: Int
  /// The frames up to the first flaw, in order.
  var frames: [PNGFrame] = []
  /// The error that ended the collection of frames.
  var damage: ImagingError?
}

/// A frame of an APNG: the fcTL chunk and the location of its pixels.
struct PNGFrame: Hashable, Sendable {
  /// The blending of the frame with the canvas.
  enum Blend: UInt8, Sendable {
    case source = 0
    case over = 1
  }

  /// The location of the compressed pixels.
  enum Pixels: Hashable, Sendable {
    /// The frame is the default image.
    case imageData
    /// The range from the first to the last fdAT chunk; other chunks may lie between.
    case frameData(Range<Int>)
  }

  var size: PixelSize
  var x: Int
  var y: Int
  /// The display time in milliseconds, after the rule that 10 or less means 100.
  var duration: Int
  var disposal: FrameDisposal
  var blend: Blend
  var pixels: Pixels

  /// The rectangle on the canvas.
  var area: PixelRectangle { PixelRectangle(x: x, y: y, size: size) }

  /// Reads the 26 bytes of an fcTL chunk.
  ///
  /// - Throws: `corrupt` if the frame leaves the canvas or an operation is unknown.
  init(_ bytes: UnsafeRawBufferPointer, payload: Range<Int>, canvas: PixelSize) throws(ImagingError) {
    let at = payload.lowerBound
    guard payload.count == 26 else {
      throw .corrupt(.apng, reason: "fcTL has \(payload.count) bytes instead of 26", offset: at)
    }
    // The numbers have 32 bits each: the sums below cannot overflow in 64 bits.
    size = PixelSize(width: Int(bytes.bigEndian32(at: at + 4)), height: Int(bytes.bigEndian32(at: at + 8)))
    x = Int(bytes.bigEndian32(at: at + 12))
    y = Int(bytes.bigEndian32(at: at + 16))
    guard size.width > 0, size.height > 0, x + size.width <= canvas.width, y + size.height <= canvas.height
    else {
      throw .corrupt(
        .apng, reason: "a frame of \(size) at \(x),\(y) does not fit the canvas of \(canvas)", offset: at)
    }
    guard let disposal = FrameDisposal(rawValue: bytes[at + 24]), let blend = Blend(rawValue: bytes[at + 25])
    else {
      throw .corrupt(
        .apng, reason: "unknown disposal \(bytes[at + 24]) or blend operation \(bytes[at + 25])",
        offset: at + 24)
    }
    self.disposal = disposal
    self.blend = blend
    duration = Self.milliseconds(bytes.bigEndian16(at: at + 20), over: bytes.bigEndian16(at: at + 22))
    pixels = .imageData
  }

  /// Returns a delay of `numerator / denominator` seconds in milliseconds, rounded. A denominator of 0 stands for 100;
  /// 10 ms or less becomes 100 ms, as in browsers.
  static func milliseconds(_ numerator: UInt16, over denominator: UInt16) -> Int {
    let thousandths = Int(numerator) * 1000
    let divisor = denominator == 0 ? 100 : Int(denominator)
    return thousandths <= 10 * divisor ? 100 : (thousandths + divisor / 2) / divisor
  }
}
