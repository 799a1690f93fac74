public import ArgumentParser
public import Calotype

/// How pictures are shown on a terminal, and how large.
struct GraphicsOptions: ParsableArguments {
  /// `--protocol`.
  enum Choice: String, CaseIterable, ExpressibleByArgument {
    case auto, kitty, iterm2, sixel, blocks, blocks256

    /// `nil` to find out.
    var graphics: GraphicsProtocol? { GraphicsProtocol(rawValue: rawValue) }
  }

  @Option(
    name: .customLong("protocol"),
    help: ArgumentHelp(
      "How pictures are sent.",
      discussion:
        "auto asks the terminal for the best it has; blocks are text in 24-bit colours, blocks256 in 256.",
      valueName: "protocol"))
  var choice: Choice = .auto

  @Option(
    help: ArgumentHelp(
      "Columns for a picture, which is enlarged if need be. Default: as large as it is, at most the window.",
      valueName: "cells"))
  var width: Int?

  @Option(help: ArgumentHelp("Lines for a picture, likewise.", valueName: "cells"))
  var height: Int?

  @Option(
    help: ArgumentHelp(
      "Colour behind transparent pixels: ffffff, black … Default: what the terminal has.", valueName: "color")
  )
  var background: PixelColor?

  func validate() throws {
    for (name, value) in [("width", width), ("height", height)] {
      if let value, !(1...1000).contains(value) { throw ValidationError("--\(name) is 1 to 1000 cells.") }
    }
    if let background, background.alpha != 255 {
      throw ValidationError("--background is opaque, such as ffffff.")
    }
  }

  /// `terminal`, as these options have it.
  func applied(to terminal: GraphicsTerminal) -> GraphicsTerminal {
    var terminal = terminal
    terminal.encoder.background = background
    terminal.encoder.enlarges = width != nil || height != nil
    return terminal
  }

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

extension PixelColor: ExpressibleByArgument {
  /// As ``init(_:)``.
  public init?(argument: String) { self.init(argument) }
}
