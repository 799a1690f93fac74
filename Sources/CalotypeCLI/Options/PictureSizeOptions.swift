import ArgumentParser

/// How large one picture is shown.
struct PictureSizeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Columns for a picture, which is enlarged if need be. Default: as large as it is, at most the window.",
      valueName: "cells"))
  var width: Int?

  @Option(help: ArgumentHelp("Lines for a picture, likewise.", valueName: "cells"))
  var height: Int?

  func validate() throws {
    for (name, value) in [("width", width), ("height", height)] {
      if let value, !(1...1000).contains(value) { throw ValidationError("--\(name) is 1 to 1000 cells.") }
    }
  }

  /// Whether small pictures are enlarged.
  var enlarges: Bool { width != nil || height != nil }

  /// The cells that a picture may take in a window.
  ///
  /// - Parameter reserved: Lines that are not for the picture.
  func limits(in size: Output.Size, reserved: Int) -> (columns: Int, rows: Int) {
    // A picture that scrolls out of the window while it is drawn cannot be drawn over.
    (
      min(width ?? .max, size.columns), max(1, min(height ?? .max, size.rows - reserved))
    )
  }
}
