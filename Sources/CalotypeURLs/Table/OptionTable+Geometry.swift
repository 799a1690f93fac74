extension OptionTable {
  /// Cutting, spaces and orientation.
  static let geometry: [OptionRow<ProcessingStage>] = [
    gravity, crop, cropAspectRatio.pro(), trim, padding,
    .flag("auto_rotate", "ar", at: \.autoRotates),
    rotation, flip,
  ]

  private static let gravity = OptionRow<ProcessingStage>("gravity", "g") {
    (arguments, stage) throws(ImageURLError) in
    try GravityArguments.read(&arguments, for: .cropping, &stage.gravity)
  } write: { stage, arguments in
    if let gravity = stage.gravity { GravityArguments.write(gravity, for: .cropping, &arguments) }
  }.normalizing { stage in
    stage.gravity = stage.gravity.flatMap { GravityArguments.normalized($0, droppingCenter: true) }
  }

  private static let crop = OptionRow<ProcessingStage>("crop", "c") {
    (arguments, stage) throws(ImageURLError) in
    var crop = stage.crop ?? .init(width: 0)
    crop.width = try arguments.real(0, in: .notNegative)
    if arguments.count > 1 { crop.height = try arguments.real(1, in: .notNegative) }
    if arguments.count > 2 {
      var gravity = crop.gravity
      try arguments.nested(from: 2) { (arguments) throws(ImageURLError) in
        try GravityArguments.read(&arguments, for: .cropping, &gravity)
      }
      crop.gravity = gravity
    }
    stage.crop = crop
  } write: { stage, arguments in
    guard let crop = stage.crop else { return }
    arguments.real(crop.width, in: .notNegative)
    arguments.real(crop.height, in: .notNegative)
    if let gravity = crop.gravity { GravityArguments.write(gravity, for: .cropping, &arguments) }
  }.normalizing { stage in
    if stage.crop?.width == 0, stage.crop?.height == 0 { stage.crop = nil }
    if let gravity = stage.crop?.gravity {
      stage.crop?.gravity = GravityArguments.normalized(gravity, droppingCenter: false)
    }
  }

  private static let cropAspectRatio = OptionRow<ProcessingStage>("crop_aspect_ratio", "car", "crop_ar") {
    (arguments, stage) throws(ImageURLError) in
    try arguments.limit(2)
    var ratio = stage.cropAspectRatio ?? .init(0)
    ratio.ratio = try arguments.real(0, in: .notNegative)
    if arguments.has(1) { ratio.enlarges = arguments.flag(1) }
    stage.cropAspectRatio = ratio
  } write: { stage, arguments in
    guard let ratio = stage.cropAspectRatio else { return }
    arguments.real(ratio.ratio, in: .notNegative)
    arguments.flag(ratio.enlarges)
  }.normalizing { stage in
    if stage.cropAspectRatio?.ratio == 0 { stage.cropAspectRatio = nil }
    if stage.cropAspectRatio?.enlarges == false { stage.cropAspectRatio?.enlarges = nil }
  }

  /// Without a threshold it is switched off. Threshold and colour are set anew each time.
  private static let trim = OptionRow<ProcessingStage>("trim", "t") {
    (arguments, stage) throws(ImageURLError) in
    try arguments.limit(4)
    var trim = stage.trim ?? .init(threshold: nil)
    trim.threshold = arguments.has(0) ? try arguments.real(0, in: .any) : nil
    trim.color = arguments.has(1) ? try arguments.color(1) : nil
    if arguments.has(2) { trim.isEqualHorizontally = arguments.flag(2) }
    if arguments.has(3) { trim.isEqualVertically = arguments.flag(3) }
    stage.trim = trim
  } write: { stage, arguments in
    guard let trim = stage.trim else { return }
    arguments.real(trim.threshold, in: .any)
    arguments.color(trim.color)
    arguments.flag(trim.isEqualHorizontally)
    arguments.flag(trim.isEqualVertically)
  }.normalizing { stage in
    if stage.trim?.threshold == nil { stage.trim = nil }
    if stage.trim?.isEqualHorizontally == false { stage.trim?.isEqualHorizontally = nil }
    if stage.trim?.isEqualVertically == false { stage.trim?.isEqualVertically = nil }
  }

  /// As in CSS: a side that is left out is as the opposite one, or as the top.
  private static let padding = OptionRow<ProcessingStage>("padding", "pd") {
    (arguments, stage) throws(ImageURLError) in
    try arguments.limit(4)
    var padding = stage.padding ?? .init()
    // The top is for all sides, and the right one for the left one too, unless they follow.
    if arguments.has(0) {
      padding.top = try arguments.integer(0, in: sides)
      (padding.right, padding.bottom, padding.left) = (padding.top, padding.top, padding.top)
    }
    if arguments.has(1) {
      padding.right = try arguments.integer(1, in: sides)
      padding.left = padding.right
    }
    if arguments.has(2) { padding.bottom = try arguments.integer(2, in: sides) }
    if arguments.has(3) { padding.left = try arguments.integer(3, in: sides) }
    stage.padding = padding
  } write: { stage, arguments in
    guard let padding = stage.padding else { return }
    let isLeft = padding.left != padding.right
    let isBottom = isLeft || padding.bottom != padding.top
    arguments.integer(padding.top, in: sides)
    if isBottom || padding.right != padding.top { arguments.integer(padding.right, in: sides) }
    if isBottom { arguments.integer(padding.bottom, in: sides) }
    if isLeft { arguments.integer(padding.left, in: sides) }
  }.normalizing { stage in if stage.padding == .init() { stage.padding = nil } }

  private static let rotation = OptionRow<ProcessingStage>("rotate", "rot") {
    (arguments, stage) throws(ImageURLError) in
    try arguments.limit(1)
    let degrees = try arguments.integer(0, in: .min ... .max)
    guard degrees % 90 == 0 else { throw arguments.invalid(0, expected: "a multiple of 90") }
    // A negative multiple is a turn to the other side.
    stage.rotation = (degrees % 360 + 360) % 360
  } write: { stage, arguments in
    guard let rotation = stage.rotation else { return }
    arguments.integer(rotation, in: 0...270)
    arguments.add("\(rotation) is not a multiple of 90", unless: rotation % 90 == 0)
  }.normalizing { stage in if stage.rotation == 0 { stage.rotation = nil } }

  private static let flip = OptionRow<ProcessingStage>("flip", "fl") {
    (arguments, stage) throws(ImageURLError) in
    try arguments.limit(2)
    var flip = stage.flip ?? .init()
    if arguments.has(0) { flip.horizontally = arguments.flag(0) }
    if arguments.has(1) { flip.vertically = arguments.flag(1) }
    stage.flip = flip
  } write: { stage, arguments in
    guard let flip = stage.flip else { return }
    arguments.flag(flip.horizontally)
    arguments.flag(flip.vertically)
  }.normalizing { stage in
    if stage.flip?.horizontally == false { stage.flip?.horizontally = nil }
    if stage.flip?.vertically == false { stage.flip?.vertically = nil }
    if stage.flip == .init() { stage.flip = nil }
  }
}
