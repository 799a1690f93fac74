/// Gravity as arguments, of an option of its own or at the end of others.
enum GravityArguments {
  /// Where a gravity is used, which restricts its kinds.
  enum Use {
    /// Cutting: all kinds.
    case cropping
    /// Extending: places alone.
    case extending
  }

  /// Reads a gravity over the one before, whose offsets stay if none are given.
  static func read(
    _ arguments: inout OptionArguments, for use: Use, _ gravity: inout Gravity?
  ) throws(ImageURLError) {
    let name = arguments.text(0)
    var read = gravity ?? .compass(.center)
    switch name {
    case "sm" where use == .cropping:
      try arguments.limit(1)
      gravity = .smart
      return
    case "obj" where use == .cropping && arguments.isPro:
      gravity = Gravity(.objects(try classes(arguments)))
      return
    case "objw" where use == .cropping && arguments.isPro:
      gravity = Gravity(.weightedObjects(try weightedClasses(arguments)))
      return
    case "fp":
      guard arguments.count == 3 else {
        throw ImageURLError(
          .argumentCount, at: arguments.place,
          "\(arguments.name) of a focus point has other than two coordinates",
          remedy: "write fp:x:y")
      }
      read.kind = .focusPoint
      read.x = read.x ?? 0
      read.y = read.y ?? 0
    default:
      guard let compass = Gravity.Compass(rawValue: name) else {
        let kinds = Gravity.Compass.allCases.map(\.rawValue) + (use == .cropping ? ["sm", "fp"] : ["fp"])
        throw arguments.invalid(0, expected: "one of " + kinds.joined(separator: ", "))
      }
      try arguments.limit(3)
      read.kind = .compass(compass)
    }
    let range: RealRange = read.kind == .focusPoint ? .share : .any
    if arguments.has(1) { read.x = try arguments.real(1, in: range) }
    if arguments.has(2) { read.y = try arguments.real(2, in: range) }
    // Offsets of an earlier gravity are coordinates now.
    guard range.contains(read.x ?? 0), range.contains(read.y ?? 0) else {
      throw arguments.invalid(range.contains(read.x ?? 0) ? 2 : 1, expected: range.expectation)
    }
    gravity = read
  }

  static func write(_ gravity: Gravity, for use: Use, _ arguments: inout WrittenArguments) {
    let hasOffsets = gravity.x != nil || gravity.y != nil
    let allowsObjects = arguments.isPro && use == .cropping && !hasOffsets
    switch gravity.kind {
    case .smart:
      arguments.plain("sm")
      arguments.add("it cannot be smart", unless: use == .cropping)
      arguments.add("a smart gravity has no offsets", unless: !hasOffsets)
    case .objects(let names):
      arguments.plain("obj")
      for name in names { arguments.plain(name) }
      arguments.add("a class has no name", unless: names.allSatisfy { !$0.isEmpty })
      arguments.add("it cannot be of objects", unless: allowsObjects)
    case .weightedObjects(let classes):
      arguments.plain("objw")
      for item in classes {
        arguments.plain(item.name)
        arguments.real(item.weight, in: .notNegative)
      }
      arguments.add("a class has no name", unless: classes.allSatisfy { !$0.name.isEmpty })
      arguments.add("it cannot be of objects", unless: allowsObjects)
    case .focusPoint:
      arguments.plain("fp")
      // Both are needed, although they may be empty; zero is the same and stays when empty arguments are cut off.
      arguments.add("a focus point needs both coordinates", unless: gravity.x != nil && gravity.y != nil)
      arguments.real(gravity.x, in: .share)
      arguments.real(gravity.y, in: .share)
    case .compass(let compass):
      arguments.choice(compass)
      arguments.real(gravity.x, in: .any)
      arguments.real(gravity.y, in: .any)
    }
  }

  /// The gravity without offsets of 0; `nil` for the centre, where that is the default.
  static func normalized(_ gravity: Gravity, droppingCenter: Bool) -> Gravity? {
    var gravity = gravity
    if gravity.kind != .focusPoint {
      if gravity.x == 0 { gravity.x = nil }
      if gravity.y == 0 { gravity.y = nil }
    } else {
      gravity.x = gravity.x ?? 0
      gravity.y = gravity.y ?? 0
    }
    return droppingCenter && gravity == .compass(.center) ? nil : gravity
  }

  private static func classes(_ arguments: OptionArguments) throws(ImageURLError) -> [String] {
    var names: [String] = []
    for index in 1..<max(1, arguments.count) { names.append(try className(arguments, index)) }
    return names
  }

  private static func weightedClasses(
    _ arguments: OptionArguments
  ) throws(ImageURLError) -> [Gravity.WeightedClass] {
    guard arguments.count % 2 == 1 else {
      throw ImageURLError(
        .argumentCount, at: arguments.place, "the last class of \(arguments.name) has no weight",
        remedy: "write objw:class:weight")
    }
    var classes: [Gravity.WeightedClass] = []
    for index in stride(from: 1, to: arguments.count, by: 2) {
      classes.append(
        .init(try className(arguments, index), weight: try arguments.real(index + 1, in: .notNegative)))
    }
    return classes
  }

  private static func className(_ arguments: OptionArguments, _ index: Int) throws(ImageURLError) -> String {
    guard arguments.has(index), SafeText.isSegment(arguments.text(index)) else {
      throw arguments.invalid(index, expected: "the name of a class")
    }
    return arguments.text(index)
  }
}
