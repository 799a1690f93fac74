import CalotypeImaging
import CalotypeURLs

/// The operations of all stages in the making, and the picture as it is after them.
struct StagesDraft {
  let policy: PlanningPolicy
  /// The longest side of a result; 0 for any.
  let maxSide: Int
  /// The sizes after trims that are known.
  let trims: [PixelSize]
  /// The watermarks that the options name.
  let watermarks: [OwnWatermark: WatermarkImage]
  /// The orientation that decoding applied.
  var orientation = Orientation.topLeft
  /// A Boolean value that indicates whether the picture can still be drawn at any size.
  var isVector = false
  var isAnimated = false

  private(set) var operations: [PixelOperation] = []
  /// The size after each operation.
  private(set) var sizes: [PixelSize] = []
  /// The size now.
  private(set) var size: PixelSize
  /// A Boolean value that indicates whether the picture has no transparent pixels now.
  private(set) var isOpaque: Bool
  /// The size at which a drawing is drawn.
  private(set) var drawnSize: PixelSize
  private(set) var pendingTrim: Int?
  var notices: Set<PlanNotice> = []
  private let source: PixelSize
  private var trimCount = 0

  init(
    policy: PlanningPolicy, size: PixelSize, isOpaque: Bool, maxSide: Int, trims: [PixelSize],
    watermarks: [OwnWatermark: WatermarkImage]
  ) {
    self.policy = policy
    self.size = size
    self.isOpaque = isOpaque
    self.maxSide = maxSide
    self.trims = trims
    self.watermarks = watermarks
    source = size
    drawnSize = size
  }

  /// Adds the operations of a stage.
  ///
  /// - Parameters:
  ///   - stage: The options.
  ///   - isFirst: Pass true for the first stage, which begins with the source.
  ///   - format: The format of the result for the last stage, `nil` for all others.
  mutating func append(
    _ stage: ProcessingStage, isFirst: Bool, format: RequestedFormat?
  ) throws(PlanningError) {
    if !isFirst { (orientation, isVector) = (.topLeft, false) }
    try trim(stage)
    let turn = Turn(degrees: stage.rotation ?? 0, flip: stage.flip)
    let geometry = StageGeometry(stage, of: turn.apply(to: size), isVector: isVector, maxSide: maxSide)
    var areas = BlurAreaTracker(stage.blurAreas, in: size)
    let crop = CropStep(
      geometry, gravity: resolved(stage.crop?.gravity ?? stage.gravity), turn: turn, orientation: orientation)
    if isVector {
      drawnSize = crop.drawnSize(of: size)
      try check(drawnSize)
      areas.scale(from: size, to: drawnSize)
      size = drawnSize
    }
    if let step = crop.operation(in: size) {
      if case .smartCrop = step, let operation = areas.operation(scaledBy: geometry.scale.x) {
        try add(operation, size)
      }
      try add(step, crop.size(in: size))
      areas.crop(step)
    }
    let scaled = turn.apply(to: geometry.scaled)
    if scaled != size {
      areas.scale(from: size, to: scaled)
      let kernel = stage.resizingAlgorithm ?? .lanczos3
      try add(.scale(ScaleOperation(to: scaled, kernel: kernel, isLinear: policy.usesLinearLight)), scaled)
    }
    areas.turn(turn, in: size)
    if turn.quarters > 0 { try add(.rotate(quarterTurns: turn.quarters), turn.apply(to: size)) }
    if turn.flipsHorizontally || turn.flipsVertically {
      try add(.flip(horizontally: turn.flipsHorizontally, vertically: turn.flipsVertically), size)
    }
    try cut(stage, geometry, &areas)
    if let operation = areas.operation(scaledBy: 1) { try add(operation, size) }
    for filter in FilterSteps.operations(
      of: stage, policy: policy, size: size, isShrunk: min(geometry.scale.x, geometry.scale.y) < 1)
    {
      try add(filter, size)
    }
    try extend(stage, geometry)
    try finish(stage, geometry, format)
  }

  private mutating func trim(_ stage: ProcessingStage) throws(PlanningError) {
    guard let trim = stage.trim, let threshold = trim.threshold else { return }
    guard !isAnimated else {
      notices.insert(.animationNotTrimmed)
      return
    }
    // The option names sides of the stored picture.
    let operation = TrimOperation(
      threshold: threshold.limited(to: 0...255, orIfNaN: 0), color: trim.color, corner: orientation,
      isEqualHorizontally: (orientation.swapsAxes ? trim.isEqualVertically : trim.isEqualHorizontally)
        ?? false,
      isEqualVertically: (orientation.swapsAxes ? trim.isEqualHorizontally : trim.isEqualVertically) ?? false)
    var trimmed = size
    if trimCount < trims.count {
      let known = trims[trimCount]
      trimmed = PixelSize(
        width: min(max(1, known.width), size.width), height: min(max(1, known.height), size.height))
    } else if pendingTrim == nil {
      pendingTrim = operations.count
    }
    trimCount += 1
    try add(.trim(operation), trimmed)
    isVector = false
  }

  /// Cuts the picture to the size that was asked for.
  private mutating func cut(
    _ stage: ProcessingStage, _ geometry: StageGeometry, _ areas: inout BlurAreaTracker
  ) throws(PlanningError) {
    let box = PixelSize(
      width: min(size.width, Rounding.smallerOfGiven(geometry.cut.width, size.width)),
      height: min(size.height, Rounding.smallerOfGiven(geometry.cut.height, size.height)))
    guard box != size else { return }
    let gravity = resolved(stage.gravity)
    if gravity.kind == .smart {
      if let operation = areas.operation(scaledBy: 1) { try add(operation, size) }
      try add(.smartCrop(box), box)
      return
    }
    let origin = GravityPlacement(of: box, in: size, dpr: geometry.dpr).origin(for: gravity)
    let step = PixelOperation.crop(PixelRegion(origin: origin, size: box))
    try add(step, box)
    areas.crop(step)
  }

  private mutating func extend(
    _ stage: ProcessingStage, _ geometry: StageGeometry
  ) throws(PlanningError) {
    if let extend = stage.extend, extend.isEnabled {
      try self.extend(to: geometry.target, extend.gravity, geometry.dpr)
    }
    if let extend = stage.extendAspectRatio, extend.isEnabled, let canvas = geometry.ratioCanvas {
      try self.extend(to: canvas, extend.gravity, geometry.dpr)
    }
    let padding = geometry.padding
    if padding != .init() {
      let padded = PixelSize(
        width: size.width + padding.left + padding.right, height: size.height + padding.top + padding.bottom)
      try add(
        .canvas(CanvasOperation(size: padded, origin: PixelPoint(x: padding.left, y: padding.top))), padded)
      isOpaque = false
    }
  }

  private mutating func extend(
    to canvas: PixelSize, _ gravity: Gravity?, _ dpr: Double
  ) throws(PlanningError) {
    guard canvas.width > size.width || canvas.height > size.height else { return }
    let whole = PixelSize(
      width: canvas.width > 0 ? canvas.width : size.width,
      height: canvas.height > 0 ? canvas.height : size.height)
    let origin = GravityPlacement(of: size, in: whole, dpr: dpr).origin(for: resolved(gravity))
    try add(.canvas(CanvasOperation(size: whole, origin: origin)), whole)
    isOpaque = false
  }

  /// Adds the largest size of the format, the background and the watermark.
  private mutating func finish(
    _ stage: ProcessingStage, _ geometry: StageGeometry, _ format: RequestedFormat?
  ) throws(PlanningError) {
    if let format {
      let fitted = FormatCeiling.fitted(size, in: format)
      if fitted != size {
        notices.insert(.scaledToFormat)
        try add(.scale(ScaleOperation(to: fitted)), fitted)
      }
    }
    if case .color(let color)? = stage.background {
      // A format without transparency has white beneath a translucent background.
      let alpha = (stage.backgroundAlpha ?? 1).limited(to: 0...1, orIfNaN: 1)
      if !isOpaque { try add(.flatten(color, alpha: alpha), size) }
      isOpaque = isOpaque || alpha == 1
    }
    if let format, !format.holdsAlpha, !isOpaque {
      try add(.flatten(RGBColor(red: 255, green: 255, blue: 255), alpha: 1), size)
      isOpaque = true
    }
    if let operation = try watermark(stage, dpr: geometry.dpr) { try add(operation, size) }
  }

  private mutating func watermark(
    _ stage: ProcessingStage, dpr: Double
  ) throws(PlanningError) -> PixelOperation? {
    guard let mark = stage.watermark, mark.opacity > 0 else { return nil }
    var watermark = policy.watermark
    if let own = stage.ownWatermark {
      guard let known = watermarks[own] else {
        throw PlanningError(
          .unknownWatermark, at: "watermark", "the size of the watermark that the URL names is not known",
          remedy: "load the watermark, and put its size into the request")
      }
      watermark = known
    }
    guard let watermark, watermark.size.width > 0, watermark.size.height > 0 else {
      notices.insert(.noWatermark)
      return nil
    }
    let layout = WatermarkLayout(stage, mark, watermark, on: size, dpr: dpr)
    let operation = layout.operation(
      opacity: (mark.opacity * policy.watermarkOpacity).limited(to: 0...1, orIfNaN: 1))
    for canvas in operation.canvases { try check(canvas) }
    return .watermark(operation)
  }

  /// Returns a gravity without objects, which no model finds here.
  mutating func resolved(_ gravity: Gravity?) -> Gravity {
    guard let gravity else { return .compass(.center) }
    switch gravity.kind {
    case .objects, .weightedObjects:
      notices.insert(.objectsBecameSmart)
      return .smart
    case .compass, .focusPoint, .smart: return gravity
    }
  }

  private mutating func add(_ operation: PixelOperation, _ result: PixelSize) throws(PlanningError) {
    try check(result)
    operations.append(operation)
    sizes.append(result)
    size = result
  }

  /// Refuses a picture that is too large; a source that is not changed has limits of its own.
  private func check(_ size: PixelSize) throws(PlanningError) {
    let limits = policy.limits
    if size == source { return }
    guard size.pixelCount <= limits.resultPixels, max(size.width, size.height) <= limits.longestSide else {
      throw PlanningError(
        .resultTooLarge, at: "size",
        "a picture of \(size) is necessary, and \(limits.resultPixels) pixels and sides of \(limits.longestSide) are allowed",
        remedy: "request a smaller size")
    }
  }

  /// Returns the divisor by which a decoder may shrink the source.
  func divisor(of info: ImageInfo, policy: PlanningPolicy, keepsDepth: Bool) -> Int {
    guard !policy.disablesShrinkingDecoders, !info.isVector, !keepsDepth, info.frameCount == 1 else {
      return 1
    }
    var picture = source
    for (operation, result) in zip(operations, sizes) {
      switch operation {
      case .crop, .smartCrop: picture = result
      case .scale(let scale):
        let shrink = min(
          Double(picture.width) / Double(scale.size.width), Double(picture.height) / Double(scale.size.height)
        )
        return [8, 4, 2].first { Double($0) <= shrink } ?? 1
      default: return 1
      }
    }
    return 1
  }
}
