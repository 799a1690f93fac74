import ArgumentParser
import CalotypeTerminal

/// The size of an image in a terminal.
struct PictureSizeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Width of an image in columns; it is enlarged if necessary. Default: its size, at most the window.",
      valueName: "cells"))
  var width: Int?

  @Option(help: ArgumentHelp("Height of an image in lines, likewise.", valueName: "cells"))
  var height: Int?

  func validate() throws {
    for (name, value) in [("width", width), ("height", height)] {
      if let value, !(1...1000).contains(value) { throw ValidationError("--\(name) is 1 to 1000 cells.") }
    }
  }

  var limits: PictureSizeLimits { PictureSizeLimits(columns: width, rows: height) }
}
