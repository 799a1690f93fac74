extension OptionTable {
  /// Background and colours.
  static let colors: [OptionRow<ProcessingStage>] = [
    background,
    OptionRow<ProcessingStage>.real("background_alpha", "bga", at: \.backgroundAlpha, in: .share, default: 1)
      .pro(),
    adjust.pro(),
    OptionRow<ProcessingStage>.integer("brightness", "br", at: \.brightness, in: -255...255, default: 0)
      .pro(),
    OptionRow<ProcessingStage>.real("contrast", "co", at: \.contrast, in: .notNegative, default: 1).pro(),
    OptionRow<ProcessingStage>.real("saturation", "sa", at: \.saturation, in: .notNegative, default: 1).pro(),
    monochrome.pro(), duotone.pro(), colorize.pro(), gradient.pro(),
  ]

  private static let background = OptionRow<ProcessingStage>("background", "bg") {
    (arguments, stage) throws(ImageURLError) in
    switch arguments.count {
    case 1: stage.background = arguments.has(0) ? .color(try arguments.color(0)) : .off
    case 3:
      var channels: [UInt8] = []
      for index in 0..<3 {
        // Unsigned in Go, which reads no sign.
        guard arguments[index].first != UInt8(ascii: "+"), arguments[index].first != UInt8(ascii: "-") else {
          throw arguments.invalid(index, expected: "an integer in 0…255")
        }
        channels.append(UInt8(try arguments.integer(index, in: 0...255)))
      }
      stage.background = .color(.init(red: channels[0], green: channels[1], blue: channels[2]))
    default:
      throw ImageURLError(
        .argumentCount, at: arguments.place, "\(arguments.name) has \(arguments.count) arguments",
        remedy: "give red, green and blue, or hexadecimal digits")
    }
  } write: { stage, arguments in
    switch stage.background {
    case .color(let color): arguments.color(color)
    case .off: arguments.skip()
    case nil: break
    }
  }.normalizing { stage in if stage.background == .off { stage.background = nil } }

  private static let adjust = OptionRow<ProcessingStage>.bundle("adjust", "a") {
    (arguments, stage) throws(ImageURLError) in
    try arguments.limit(3)
    if arguments.has(0) { stage.brightness = try arguments.integer(0, in: -255...255) }
    if arguments.has(1) { stage.contrast = try arguments.real(1, in: .notNegative) }
    if arguments.has(2) { stage.saturation = try arguments.real(2, in: .notNegative) }
  }

  private static let monochrome = OptionRow<ProcessingStage>("monochrome", "mc") {
    (arguments, stage) throws(ImageURLError) in
    try arguments.limit(2)
    var effect = stage.monochrome ?? .init(0)
    effect.intensity = try arguments.real(0, in: .share)
    if arguments.has(1) { effect.color = try arguments.color(1) }
    stage.monochrome = effect
  } write: { stage, arguments in
    guard let effect = stage.monochrome else { return }
    arguments.real(effect.intensity, in: .share)
    arguments.color(effect.color)
  }.normalizing { stage in if stage.monochrome?.intensity == 0 { stage.monochrome = nil } }

  private static let duotone = OptionRow<ProcessingStage>("duotone", "dt") {
    (arguments, stage) throws(ImageURLError) in
    try arguments.limit(3)
    var effect = stage.duotone ?? .init(0)
    effect.intensity = try arguments.real(0, in: .share)
    if arguments.has(1) { effect.dark = try arguments.color(1) }
    if arguments.has(2) { effect.light = try arguments.color(2) }
    stage.duotone = effect
  } write: { stage, arguments in
    guard let effect = stage.duotone else { return }
    arguments.real(effect.intensity, in: .share)
    arguments.color(effect.dark)
    arguments.color(effect.light)
  }.normalizing { stage in if stage.duotone?.intensity == 0 { stage.duotone = nil } }

  private static let colorize = OptionRow<ProcessingStage>("colorize", "col") {
    (arguments, stage) throws(ImageURLError) in
    try arguments.limit(3)
    var effect = stage.colorize ?? .init(0)
    effect.opacity = try arguments.real(0, in: .share)
    if arguments.has(1) { effect.color = try arguments.color(1) }
    if arguments.has(2) { effect.keepsAlpha = arguments.flag(2) }
    stage.colorize = effect
  } write: { stage, arguments in
    guard let effect = stage.colorize else { return }
    arguments.real(effect.opacity, in: .share)
    arguments.color(effect.color)
    arguments.flag(effect.keepsAlpha)
  }.normalizing { stage in if stage.colorize?.opacity == 0 { stage.colorize = nil } }

  private static let gradient = OptionRow<ProcessingStage>("gradient", "gr") {
    (arguments, stage) throws(ImageURLError) in
    try arguments.limit(5)
    var effect = stage.gradient ?? .init(0)
    effect.opacity = try arguments.real(0, in: .share)
    if arguments.has(1) { effect.color = try arguments.color(1) }
    if arguments.has(2) { effect.direction = try DirectionArgument.read(arguments, 2) }
    if arguments.has(3) { effect.start = try arguments.real(3, in: .any) }
    if arguments.has(4) { effect.stop = try arguments.real(4, in: .any) }
    stage.gradient = effect
  } write: { stage, arguments in
    guard let effect = stage.gradient else { return }
    arguments.real(effect.opacity, in: .share)
    arguments.color(effect.color)
    DirectionArgument.write(effect.direction, &arguments)
    arguments.real(effect.start, in: .any)
    arguments.real(effect.stop, in: .any)
  }.normalizing { stage in if stage.gradient?.opacity == 0 { stage.gradient = nil } }
}
