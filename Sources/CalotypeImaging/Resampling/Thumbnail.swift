/// A box that a picture is shrunk to. Pictures are never enlarged; drawings, such as SVG, are drawn at this size.
public struct Thumbnail: Hashable, Sendable, Codable {
  /// The relation of a picture to the box.
  public enum Mode: String, Hashable, Sendable, CaseIterable, Codable {
    /// The largest size with the picture's proportions that lies within the box.
    case fit
    /// The picture covers the box; the excess is cropped at ``Thumbnail/anchor``.
    case fill
    /// Exactly the box; the proportions change.
    case stretch
    /// The smallest size with the picture's proportions that covers the box; nothing is cropped.
    case outside
  }

  /// The box, in upright pixels. A side of 0 is free and follows from the other.
  public var box: PixelSize
  /// The relation of the picture to the box.
  public var mode: Mode
  /// The part of the picture that is kept if the box is covered. Anchors that read pixels are for ``Transforms/Resize``
  /// and ``Transforms/Crop``.
  public var anchor: Anchor
  /// The reconstruction filter.
  public var filter: ResampleFilter
  /// The quality that may be lost for speed. ``Effort/fine`` by default.
  public var effort: Effort
  /// Resamples in linear light, instead of mixing the stored numbers. Off by default.
  ///
  /// Fine bright detail keeps its brightness. Codecs that shrink while decoding mix stored numbers; they then have to
  /// deliver twice the size of ``effort``. Colours are converted to sRGB before they are mixed.
  public var linearLight: Bool

  /// The freedom of a codec that can shrink while decoding.
  public enum Effort: String, Hashable, Sendable, CaseIterable, Codable {
    /// It delivers at least twice the size of the thumbnail, and ``Thumbnail/filter`` does the rest. JPEG photographs
    /// then come within 48 dB and more of a full decode.
    case fine
    /// It delivers at least one and a half times the size of the thumbnail, and JPEG luma and chroma apart, with chroma
    /// of three quarters of the thumbnail or more: a fifth faster or more, within 40 dB and more. A picture that is decoded
    /// while it arrives, or for several thumbnails at once, may differ by a few levels.
    case balanced
    /// It delivers at least the size of the thumbnail: up to a fifth faster than ``fine`` for JPEG, within 37 dB and more.
    case fast
  }

  /// Creates a thumbnail description.
  public init(
    box: PixelSize, mode: Mode, anchor: Anchor = .center, filter: ResampleFilter = .lanczos3,
    effort: Effort = .fine,
    linearLight: Bool = false
  ) {
    self.box = box
    self.mode = mode
    self.anchor = anchor
    self.filter = filter
    self.effort = effort
    self.linearLight = linearLight
  }

  /// Fits the picture into a box and keeps its proportions. An omitted side follows from the other.
  public static func fit(width: Int? = nil, height: Int? = nil) -> Thumbnail {
    Thumbnail(box: PixelSize(width: width ?? 0, height: height ?? 0), mode: .fit)
  }

  /// Fills a box, keeps the proportions and crops the excess. An omitted side follows from the other.
  public static func fill(width: Int? = nil, height: Int? = nil) -> Thumbnail {
    Thumbnail(box: PixelSize(width: width ?? 0, height: height ?? 0), mode: .fill)
  }

  /// Stretches the picture to exactly this size. An omitted side follows from the other.
  public static func stretch(width: Int? = nil, height: Int? = nil) -> Thumbnail {
    Thumbnail(box: PixelSize(width: width ?? 0, height: height ?? 0), mode: .stretch)
  }

  /// All properties as text, for keys of caches.
  package var identity: String {
    // Bytes, because each request makes one: it takes a quarter of the time of a text that grows.
    var text: [UInt8] = []
    text.reserveCapacity(64)
    func add(_ part: String) {
      var part = part
      part.withUTF8 { text.append(contentsOf: $0) }
    }
    add(mode.rawValue)
    add(" ")
    add(String(box.width))
    add("x")
    add(String(box.height))
    add(" ")
    add(filter.rawValue)
    add(" ")
    add(effort.rawValue)
    add(" ")
    add(anchor.description)
    add(linearLight ? " linear" : " stored")
    return String(decoding: text, as: UTF8.self)
  }
}
