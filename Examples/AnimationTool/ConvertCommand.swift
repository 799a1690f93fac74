import ArgumentParser
import Calotype
import FoundationEssentials

/// Writes an animation again: other frames, another speed, size or format.
struct ConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert", abstract: "Trims, changes the speed, and writes another format.")

  @Argument(help: "The animation.")
  var file: String
  @Argument(help: "The file to write: .gif, .webp, .png or .avif.")
  var output: String
  @Option(help: ArgumentHelp("The frames to keep, counted from 0.", valueName: "FIRST-LAST"))
  var frames: FrameRange?
  @Option(help: "2 is twice as fast, 0.5 half as fast.")
  var speed = 1.0
  @Option(help: "The width to shrink all frames to, in pixels.")
  var width: Int?
  @Option(help: "The quality of WebP and AVIF, from 0 to 100.")
  var quality = 80

  func validate() throws {
    guard (0.01...100).contains(speed) else { throw ValidationError("--speed is 0.01 to 100") }
    guard (0...100).contains(quality) else { throw ValidationError("--quality is 0 to 100") }
  }

  func run() throws {
    let animation = try AnimationFile.read(file, width: width)
    let encoding = try AnimationFile.encoding(for: output, quality: quality)
    var source = animation.source
    if let frames { source = source.frames(try frames.range(in: source.frameCount)) }
    if speed != 1 { source = source.played(at: speed) }

    let data = try CoderRegistry.standard.encode(source, as: encoding)
    try data.write(to: URL(filePath: output), options: .atomic)
    print(
      "\(animation.info.format) with \(animation.frameCount) frames, \(animation.data.count) bytes → "
        + "\(encoding.format) with \(source.frameCount) frames, \(data.count) bytes")
  }
}
