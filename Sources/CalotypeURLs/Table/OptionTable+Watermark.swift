extension OptionTable {
  /// The watermark.
  static let watermarks: [OptionRow<ProcessingStage>] = [
    watermark,
    OptionRow<ProcessingStage>.base64("watermark_url", "wmu", at: \.watermarkURL).pro(),
    OptionRow<ProcessingStage>.base64("watermark_text", "wmt", at: \.watermarkText).pro(),
    size.pro(),
    OptionRow<ProcessingStage>.real(
      "watermark_rotate", "wmr", "wm_rot", at: \.watermarkRotation, in: .any, default: 0
    )
    .pro(),
    OptionRow<ProcessingStage>.real(
      "watermark_shadow", "wmsh", at: \.watermarkShadow, in: .notNegative, default: 0
    )
    .pro(),
  ]

  private static let watermark = OptionRow<ProcessingStage>("watermark", "wm") {
    (arguments, stage) throws(ImageURLError) in
    // imgproxy reads five and allows seven.
    try arguments.limit(7)
    var watermark = stage.watermark ?? .init(0)
    watermark.opacity = try arguments.real(0, in: .share)
    if arguments.has(1) { watermark.position = try position(arguments, 1) }
    if arguments.has(2) { watermark.x = try arguments.real(2, in: .any) }
    if arguments.has(3) { watermark.y = try arguments.real(3, in: .any) }
    // imgproxy refuses 0, which its documentation describes.
    if arguments.has(4) { watermark.scale = try arguments.real(4, in: .notNegative) }
    stage.watermark = watermark
  } write: { stage, arguments in
    guard let watermark = stage.watermark else { return }
    arguments.real(watermark.opacity, in: .share)
    switch watermark.position {
    case nil: arguments.skip()
    case .compass(let compass): arguments.choice(compass)
    case .tiled: arguments.plain("re")
    case .chessboard:
      arguments.plain("ch")
      arguments.add("the order of a chessboard is of imgproxy Pro", unless: arguments.isPro)
    }
    arguments.real(watermark.x, in: .any)
    arguments.real(watermark.y, in: .any)
    arguments.real(watermark.scale, in: .notNegative)
  }.normalizing { stage in
    if stage.watermark?.opacity == 0 { stage.watermark = nil }
    if stage.watermark?.position == .compass(.center) { stage.watermark?.position = nil }
    if stage.watermark?.x == 0 { stage.watermark?.x = nil }
    if stage.watermark?.y == 0 { stage.watermark?.y = nil }
    if stage.watermark?.scale == 0 { stage.watermark?.scale = nil }
  }

  private static func position(
    _ arguments: OptionArguments, _ index: Int
  ) throws(ImageURLError) -> ProcessingStage.Watermark.Position {
    let text = arguments.text(index)
    if text == "re" { return .tiled }
    if text == "ch", arguments.isPro { return .chessboard }
    guard let compass = Gravity.Compass(rawValue: text) else {
      let names = Gravity.Compass.allCases.map(\.rawValue) + ["re"]
      throw arguments.invalid(index, expected: "one of " + names.joined(separator: ", "))
    }
    return .compass(compass)
  }

  private static let size = OptionRow<ProcessingStage>("watermark_size", "wms") {
    (arguments, stage) throws(ImageURLError) in
    try arguments.limit(2)
    var size = stage.watermarkSize ?? .init(width: 0)
    if arguments.has(0) { size.width = try arguments.integer(0, in: sides) }
    if arguments.has(1) { size.height = try arguments.integer(1, in: sides) }
    stage.watermarkSize = size
  } write: { stage, arguments in
    guard let size = stage.watermarkSize else { return }
    arguments.integer(size.width, in: sides)
    arguments.integer(size.height, in: sides)
  }.normalizing { stage in if stage.watermarkSize == .init(width: 0) { stage.watermarkSize = nil } }
}
