extension OptionTable {
  /// Filters.
  static let filters: [OptionRow<ProcessingStage>] = [
    .real("blur", "bl", at: \.blur, in: .notNegative, default: 0),
    .real("sharpen", "sh", at: \.sharpen, in: .notNegative, default: 0),
    OptionRow<ProcessingStage>.integer("pixelate", "pix", at: \.pixelate, in: sides).normalizing { stage in
      if let side = stage.pixelate, side <= 1 { stage.pixelate = nil }
    },
    unsharpMasking.pro(), blurAreas.pro(), progressiveBlur.pro(),
  ]

  private static let unsharpMasking = OptionRow<ProcessingStage>("unsharp_masking", "ush") {
    (arguments, stage) throws(ImageURLError) in
    try arguments.limit(3)
    var filter = stage.unsharpMasking ?? .init()
    if arguments.has(0) { filter.mode = try arguments.choice(0) }
    if arguments.has(1) { filter.weight = try arguments.real(1, in: .positive) }
    if arguments.has(2) { filter.divider = try arguments.real(2, in: .positive) }
    stage.unsharpMasking = filter
  } write: { stage, arguments in
    guard let filter = stage.unsharpMasking else { return }
    arguments.choice(filter.mode)
    arguments.real(filter.weight, in: .positive)
    arguments.real(filter.divider, in: .positive)
  }.normalizing { stage in if stage.unsharpMasking == .init() { stage.unsharpMasking = nil } }

  private static let blurAreas = OptionRow<ProcessingStage>("blur_areas", "ba") {
    (arguments, stage) throws(ImageURLError) in
    guard arguments.count % 4 == 1 else {
      throw ImageURLError(
        .argumentCount, at: arguments.place, "the last area of \(arguments.name) is incomplete",
        remedy: "give left, top, width and height of each area")
    }
    var filter = ProcessingStage.BlurAreas(sigma: try arguments.real(0, in: .notNegative), areas: [])
    for index in stride(from: 1, to: arguments.count, by: 4) {
      filter.areas.append(
        .init(
          left: try arguments.real(index, in: .share), top: try arguments.real(index + 1, in: .share),
          width: try arguments.real(index + 2, in: .share), height: try arguments.real(index + 3, in: .share))
      )
    }
    stage.blurAreas = filter
  } write: { stage, arguments in
    guard let filter = stage.blurAreas else { return }
    arguments.real(filter.sigma, in: .notNegative)
    for area in filter.areas {
      for value in [area.left, area.top, area.width, area.height] { arguments.real(value, in: .share) }
    }
  }.normalizing { stage in
    if stage.blurAreas?.sigma == 0 || stage.blurAreas?.areas.isEmpty == true { stage.blurAreas = nil }
  }

  private static let progressiveBlur = OptionRow<ProcessingStage>("progressive_blur", "pbl") {
    (arguments, stage) throws(ImageURLError) in
    try arguments.limit(4)
    var filter = stage.progressiveBlur ?? .init(sigma: 0)
    filter.sigma = try arguments.real(0, in: .notNegative)
    if arguments.has(1) { filter.direction = try DirectionArgument.read(arguments, 1) }
    if arguments.has(2) { filter.start = try arguments.real(2, in: .any) }
    if arguments.has(3) { filter.stop = try arguments.real(3, in: .any) }
    stage.progressiveBlur = filter
  } write: { stage, arguments in
    guard let filter = stage.progressiveBlur else { return }
    arguments.real(filter.sigma, in: .notNegative)
    DirectionArgument.write(filter.direction, &arguments)
    arguments.real(filter.start, in: .any)
    arguments.real(filter.stop, in: .any)
  }.normalizing { stage in if stage.progressiveBlur?.sigma == 0 { stage.progressiveBlur = nil } }
}
