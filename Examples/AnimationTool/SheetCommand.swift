import ArgumentParser
import Calotype
import FoundationEssentials

/// Writes all frames side by side in one picture.
struct SheetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sheet", abstract: "Writes a sprite sheet: all frames in rows, as a PNG.")

  @Argument(help: "The animation.")
  var file: String
  @Argument(help: "The PNG to write.")
  var output: String
  @Option(help: ArgumentHelp("The frames to draw, counted from 0.", valueName: "FIRST-LAST"))
  var frames: FrameRange?
  @Option(help: "The number of frames in a row.")
  var columns = 5
  @Option(help: "The width to shrink all frames to, in pixels.")
  var width: Int?

  func validate() throws {
    guard (1...1000).contains(columns) else { throw ValidationError("--columns is 1 to 1000") }
  }

  func run() throws {
    var source = try AnimationFile.read(file, width: width).source
    if let frames { source = source.frames(try frames.range(in: source.frameCount)) }
    let sheet = try SpriteSheet(of: source, columns: columns)
    try Image(bitmap: sheet.bitmap).write(to: URL(filePath: output), as: .png)
    print(
      "\(sheet.bitmap.size): \(source.frameCount) frames of \(sheet.frameSize) "
        + "in \(sheet.columns) columns and \(sheet.rows) rows")
  }
}
