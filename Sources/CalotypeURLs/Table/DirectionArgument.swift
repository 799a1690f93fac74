/// A direction as an argument: a name, or degrees.
enum DirectionArgument {
  static func read(
    _ arguments: OptionArguments, _ index: Int
  ) throws(ImageURLError) -> ProcessingStage.Direction {
    switch arguments.text(index) {
    case "down": return .down
    case "up": return .up
    case "left": return .left
    case "right": return .right
    default:
      guard let degrees = NumberText.real(arguments[index]) else {
        throw arguments.invalid(index, expected: "degrees, or one of down, up, left, right")
      }
      return .degrees(degrees)
    }
  }

  static func write(_ direction: ProcessingStage.Direction?, _ arguments: inout WrittenArguments) {
    switch direction {
    case nil: arguments.skip()
    case .down: arguments.plain("down")
    case .up: arguments.plain("up")
    case .left: arguments.plain("left")
    case .right: arguments.plain("right")
    case .degrees(let degrees): arguments.real(degrees, in: .any)
    }
  }
}
