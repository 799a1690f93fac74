extension Transforms {
  /// A step that changes the size of a picture to fit, cover or equal a box.
  ///
  /// As the first of a request's transforms it shrinks the picture while it is decoded, as a ``Thumbnail`` does.
  public struct Resize: ImageTransforming, Hashable, Sendable {
    /// The relation of a picture to the box.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
      /// The largest size with the picture's proportions that lies within the box.
      case fit
      /// As ``fit``, but never enlarged, regardless of ``Transforms/Resize/enlarges``.
      case inside
      /// The smallest size with the picture's proportions that covers the box; nothing is cropped.
      case outside
      /// The picture covers the box; the excess is cropped at ``Transforms/Resize/anchor``.
      case fill
      /// Exactly the box; the proportions change.
      case stretch
      /// As ``fit``, padded with ``Transforms/Resize/background`` to exactly the size of the box.
      case pad
    }

    /// The box, in pixels. A side of 0 is free and follows from the other.
    public var box: PixelSize
    /// The relation of the picture to the box.
    public var mode: Mode
    /// A Boolean value that indicates whether small pictures are enlarged. `false` by default.
    public var enlarges: Bool
    /// The part that is kept by cropping, or the position of the picture within its padding.
    public var anchor: Anchor
    /// The colour of the padding. Transparent by default.
    public var background: PixelColor
    /// The reconstruction filter.
    public var filter: ResampleFilter
    /// Resamples in linear light; see ``Thumbnail/linearLight``.
    public var linearLight: Bool
    /// The quality that may be lost for speed if the step is done while decoding; see ``Thumbnail/effort``.
    public var effort: Thumbnail.Effort

    /// Creates the step.
    public init(
      _ box: PixelSize, mode: Mode = .fit, enlarges: Bool = false, anchor: Anchor = .center,
      background: PixelColor = .clear, filter: ResampleFilter = .lanczos3, linearLight: Bool = false,
      effort: Thumbnail.Effort = .fine
    ) {
      self.box = box
      self.mode = mode
      self.enlarges = enlarges
      self.anchor = anchor
      self.background = background
      self.filter = filter
      self.linearLight = linearLight
      self.effort = effort
    }

    /// Parses `320x240,fill,enlarge=true,anchor=top,background=ffffff,filter=bicubic,linear=true,effort=fast`; a side
    /// may be omitted.
    init(_ arguments: inout TransformArguments) throws(ImagingError) {
      let text = try arguments.required(arguments.text("size"), "size")
      let sides = text.split(separator: "x", omittingEmptySubsequences: false)
      func side(_ text: Substring) -> Int? { text.isEmpty ? 0 : Int(text) }
      guard sides.count == 2, let width = side(sides[0]), let height = side(sides[1]) else {
        throw arguments.error("size is 320x240, 320x or x240, not '\(text)'")
      }
      self.init(PixelSize(width: width, height: height))
      mode = try arguments.choice("mode") ?? .fit
      enlarges = try arguments.flag("enlarge") ?? false
      anchor = try arguments.anchor("anchor") ?? .center
      background = try arguments.color("background") ?? .clear
      filter = try arguments.choice("filter") ?? .lanczos3
      linearLight = try arguments.flag("linear") ?? false
      effort = try arguments.choice("effort") ?? .fine
      try arguments.finish()
      try check()
    }

    /// `resize:320x240,mode=fill,anchor=top` and so on, without parameters that have their defaults.
    public var identity: String {
      func side(_ value: Int) -> String { value == 0 ? "" : "\(value)" }
      var text = "resize:\(side(box.width))x\(side(box.height))"
      if mode != .fit { text += ",mode=\(mode.rawValue)" }
      if enlarges { text += ",enlarge=true" }
      if anchor != .center { text += ",anchor=\(anchor)" }
      if background != .clear { text += ",background=\(background.hex)" }
      if filter != .lanczos3 { text += ",filter=\(filter.rawValue)" }
      if linearLight { text += ",linear=true" }
      if effort != .fine { text += ",effort=\(effort.rawValue)" }
      return text
    }

    /// Returns the picture at its new size; the picture itself if the size is the same.
    ///
    /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for a box without a side, or one that is too large;
    ///   the errors of ``Bitmap/resampled(to:from:filter:linearLight:pool:)``.
    public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
      try check()
      let bitmap = try bitmap.converted(to: .rgba8)
      if let (cover, cut) = smartSteps { return try cut.apply(to: cover.apply(to: bitmap)) }
      let geometry = try geometry(for: bitmap.size)
      try geometry.size.checkResult(of: "resize")
      let resized = try bitmap.resampled(
        to: geometry.size, from: geometry.region, filter: filter, linearLight: linearLight)
      guard mode == .pad, box.width > 0, box.height > 0, resized.size != box else { return resized }
      try box.checkResult(of: "resize")
      let (left, top) = anchor.origin(of: resized.size, in: box)
      return try Pad(
        top: top, left: left, bottom: box.height - resized.height - top,
        right: box.width - resized.width - left, fill: .color(background)
      ).apply(to: resized)
    }

    /// The thumbnail to make while decoding: it shrinks at least as far as this step, and never further.
    ///
    /// `nil` if the step may enlarge, or needs the pixels of the whole picture.
    public var thumbnail: Thumbnail? {
      guard !enlarges else { return nil }
      var thumbnail = Thumbnail(
        box: box, mode: .fit, filter: filter, effort: effort, linearLight: linearLight)
      switch mode {
      case .fit, .inside, .pad: break
      case .stretch: thumbnail.mode = .stretch
      case .outside: thumbnail.mode = .outside
      case .fill:
        // A content-dependent crop reads the picture at its final scale.
        thumbnail.mode = anchor.interest == nil ? .fill : .outside
        thumbnail.anchor = anchor.interest == nil ? anchor : .center
      }
      return thumbnail
    }

    private func geometry(for size: PixelSize) throws(ImagingError) -> Thumbnail.Geometry {
      let meeting: Thumbnail.Mode =
        switch mode {
        case .fit, .inside, .pad: .fit
        case .stretch: .stretch
        case .outside: .outside
        case .fill: .fill
        }
      return try Thumbnail(box: box, mode: meeting, anchor: mode == .fill ? anchor : .center)
        .geometry(for: size, enlarges: enlarges && mode != .inside)
    }

    /// The two steps of a content-dependent crop; `nil` for all others.
    var smartSteps: (cover: Resize, cut: Crop)? {
      guard mode == .fill, anchor.interest != nil, box.width > 0, box.height > 0 else { return nil }
      var cover = self
      cover.mode = .outside
      cover.anchor = .center
      return (cover, Crop(.box(width: box.width, height: box.height, anchor: anchor)))
    }

    private func check() throws(ImagingError) {
      guard box.width >= 0, box.height >= 0, box.width > 0 || box.height > 0 else {
        throw .invalidParameter(name: "resize", reason: "a box of \(box) has no size; one side may be 0")
      }
      guard max(box.width, box.height) <= Int(Int32.max) else {
        throw .invalidParameter(name: "resize", reason: "a box of \(box) is too large")
      }
      try anchor.check("resize", isCut: mode == .fill)
    }
  }
}

extension ImageTransform {
  /// Resizes the picture, into a box of this size unless `mode` is different. An omitted side follows from the other.
  public static func resize(
    width: Int? = nil, height: Int? = nil, mode: Transforms.Resize.Mode = .fit, enlarges: Bool = false,
    anchor: Anchor = .center,
    background: PixelColor = .clear, filter: ResampleFilter = .lanczos3, linearLight: Bool = false,
    effort: Thumbnail.Effort = .fine
  ) -> ImageTransform {
    ImageTransform(
      Transforms.Resize(
        PixelSize(width: width ?? 0, height: height ?? 0), mode: mode, enlarges: enlarges, anchor: anchor,
        background: background, filter: filter, linearLight: linearLight, effort: effort))
  }
}

extension Transforms.Resize {
  /// A Boolean value that indicates whether the anchor reads pixels.
  public var isContentDependent: Bool { smartSteps != nil }

  /// Returns the resize and the crop that the anchor selects for `bitmap`.
  public func resolved(for bitmap: Bitmap) throws(ImagingError) -> [any ImageTransforming] {
    guard let (cover, cut) = smartSteps else { return [self] }
    return [cover] + (try cut.resolved(for: cover.apply(to: bitmap)))
  }
}
