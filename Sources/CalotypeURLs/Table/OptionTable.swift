/// All options by their names.
enum OptionTable {
  /// Largest number of pixels of a side, so that sums and products of sides do not overflow.
  static let sides = 0...Int(Int32.max)

  /// The meaning of a name.
  enum Entry: Sendable {
    case stage(OptionRow<ProcessingStage>)
    case whole(OptionRow<ProcessingOptions>)
    case preset
    /// An option that this package does not have, and the means that it would need.
    case unsupported(String)

    var isPro: Bool {
      switch self {
      case .stage(let row): row.isPro
      case .whole(let row): row.isPro
      case .preset: false
      case .unsupported: true
      }
    }
  }

  /// The options of stages, in the order in which they are written.
  static let stage: [OptionRow<ProcessingStage>] = sizes + geometry + colors + filters + watermarks
  /// The options of the whole, in the order in which they are written.
  static let whole: [OptionRow<ProcessingOptions>] = encoding + sources + serving + limits

  private static let unsupported: [(names: [String], need: String)] = [
    (["objects_position", "obj_pos", "op"], "object detection"),
    (["crop_objects"], "object detection"),
    (["blur_detections", "bd"], "object detection"),
    (["draw_detections", "dd"], "object detection"),
    (["video_thumbnail_second", "vts"], "a video decoder"),
    (["video_thumbnail_keyframes", "vtk"], "a video decoder"),
    (["video_thumbnail_tile", "vtt"], "a video decoder"),
    (["video_thumbnail_animation", "vta"], "a video decoder"),
  ]

  /// The meaning of each name.
  static let entries: [String: Entry] = {
    var entries: [String: Entry] = ["preset": .preset, "pr": .preset]
    for row in stage { for name in row.names { entries[name] = .stage(row) } }
    for row in whole { for name in row.names { entries[name] = .whole(row) } }
    for row in unsupported { for name in row.names { entries[name] = .unsupported(row.need) } }
    return entries
  }()

  /// The names of one option, whichever of them is given.
  static func synonyms(of name: String) -> [String] {
    switch entries[name] {
    case .stage(let row): row.names
    case .whole(let row): row.names
    case .preset: ["preset", "pr"]
    case .unsupported, nil: [name]
    }
  }
}
