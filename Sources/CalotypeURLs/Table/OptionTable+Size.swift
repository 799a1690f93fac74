extension OptionTable {
  /// Resizing, in the order of the bundle `resize`.
  static let sizes: [OptionRow<ProcessingStage>] = [
    resize,
    size,
    OptionRow("resizing_type", "rt", read: resizingType.read) { stage, arguments in
      if !isBundled(stage) { resizingType.write(stage, &arguments) }
    }.of(resizingType.kind).normalizing { stage in if stage.resizingType == .fit { stage.resizingType = nil }
    },
    single(width).normalizing { stage in if stage.width == 0 { stage.width = nil } },
    single(height).normalizing { stage in if stage.height == 0 { stage.height = nil } },
    single(enlarge).normalizing { stage in if stage.enlarges == false { stage.enlarges = nil } },
    .integer("min-width", "mw", at: \.minWidth, in: sides, default: 0),
    .integer("min-height", "mh", at: \.minHeight, in: sides, default: 0),
    zoom,
    .real("dpr", at: \.dpr, in: .positive, default: 1),
    extend("extend", "ex", at: \.extend),
    extend("extend_aspect_ratio", "exar", "extend_ar", at: \.extendAspectRatio),
    OptionRow<ProcessingStage>.choice("resizing_algorithm", "ra", at: \.resizingAlgorithm, default: .lanczos3)
      .pro(),
  ]

  private static let resizingType = OptionRow<ProcessingStage>.choice(
    "resizing_type", "rt", at: \.resizingType)
  private static let width = OptionRow<ProcessingStage>.integer("width", "w", at: \.width, in: sides)
  private static let height = OptionRow<ProcessingStage>.integer("height", "h", at: \.height, in: sides)
  private static let enlarge = OptionRow<ProcessingStage>.flag("enlarge", "el", at: \.enlarges)

  /// Whether type and size are written as one option: at least two of type, width and height are given.
  private static func isBundled(_ stage: ProcessingStage) -> Bool {
    [stage.resizingType != nil, stage.width != nil, stage.height != nil].count { $0 } > 1
  }

  private static func single(_ row: OptionRow<ProcessingStage>) -> OptionRow<ProcessingStage> {
    OptionRow(names: row.names, read: row.read) { stage, arguments in
      if !isBundled(stage) { row.write(stage, &arguments) }
    }.of(row.kind)
  }

  private static let resize = OptionRow<ProcessingStage>("resize", "rs") {
    (arguments, stage) throws(ImageURLError) in
    try arguments.limit(8)
    if arguments.has(0) { stage.resizingType = try arguments.choice(0) }
    try arguments.nested(from: 1) { (arguments) throws(ImageURLError) in try readSize(&arguments, &stage) }
  } write: { stage, arguments in
    guard isBundled(stage), let type = stage.resizingType else { return }
    arguments.choice(type)
    writeSize(stage, &arguments)
  }

  private static let size = OptionRow<ProcessingStage>("size", "s") {
    (arguments, stage) throws(ImageURLError) in
    try readSize(&arguments, &stage)
  } write: { stage, arguments in
    if isBundled(stage), stage.resizingType == nil { writeSize(stage, &arguments) }
  }

  private static func writeSize(_ stage: ProcessingStage, _ arguments: inout WrittenArguments) {
    arguments.integer(stage.width, in: sides)
    arguments.integer(stage.height, in: sides)
    arguments.flag(stage.enlarges)
  }

  /// Width, height, enlarge and extend with its gravity; empty ones stay as they are.
  private static func readSize(
    _ arguments: inout OptionArguments, _ stage: inout ProcessingStage
  ) throws(ImageURLError) {
    try arguments.limit(7)
    if arguments.has(0) { stage.width = try arguments.integer(0, in: sides) }
    if arguments.has(1) { stage.height = try arguments.integer(1, in: sides) }
    if arguments.has(2) { stage.enlarges = arguments.flag(2) }
    if arguments.has(3) {
      var extend = stage.extend
      try arguments.nested(from: 3) { (arguments) throws(ImageURLError) in try readExtend(&arguments, &extend)
      }
      stage.extend = extend
    }
  }

  private static let zoom = OptionRow<ProcessingStage>("zoom", "z") {
    (arguments, stage) throws(ImageURLError) in
    try arguments.limit(2)
    let x = try arguments.real(0, in: .positive)
    stage.zoom = .init(x: x, y: arguments.count > 1 ? try arguments.real(1, in: .positive) : x)
  } write: { stage, arguments in
    guard let zoom = stage.zoom else { return }
    arguments.real(zoom.x, in: .positive)
    if zoom.y != zoom.x { arguments.real(zoom.y, in: .positive) }
  }.normalizing { stage in if stage.zoom == .init(x: 1, y: 1) { stage.zoom = nil } }

  private static func extend(
    _ names: String..., at path: OptionRow<ProcessingStage>.Path<ProcessingStage.Extend?>
  ) -> OptionRow<ProcessingStage> {
    OptionRow(names: names) { (arguments, stage) throws(ImageURLError) in
      try readExtend(&arguments, &stage[keyPath: path])
    } write: { stage, arguments in
      guard let extend = stage[keyPath: path] else { return }
      arguments.flag(extend.isEnabled)
      if let gravity = extend.gravity { GravityArguments.write(gravity, for: .extending, &arguments) }
    }.normalizing { stage in
      if stage[keyPath: path]?.isEnabled == false { stage[keyPath: path] = nil }
      if let gravity = stage[keyPath: path]?.gravity {
        stage[keyPath: path]?.gravity = GravityArguments.normalized(gravity, droppingCenter: true)
      }
    }
  }

  private static func readExtend(
    _ arguments: inout OptionArguments, _ extend: inout ProcessingStage.Extend?
  ) throws(ImageURLError) {
    try arguments.limit(4)
    var read = extend ?? .init(false)
    read.isEnabled = arguments.flag(0)
    if arguments.count > 1 {
      var gravity = read.gravity
      try arguments.nested(from: 1) { (arguments) throws(ImageURLError) in
        try GravityArguments.read(&arguments, for: .extending, &gravity)
      }
      read.gravity = gravity
    }
    extend = read
  }
}
