import ArgumentParser
import Calotype

/// Prints the frames of an animation, without decoding any.
struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Prints frames and durations.")

  @Argument(help: "The animation.")
  var file: String

  func run() throws {
    let animation = try AnimationFile.read(file)
    let info = animation.info
    guard animation.frameCount > 1 else {
      print("\(info.format), \(info.size), a still image")
      return
    }
    let durations = (0..<animation.frameCount).map(animation.duration(of:))
    let total = durations.reduce(.zero, +)
    let plays = animation.loopCount == 0 ? "for ever" : "\(animation.loopCount) times"
    print("\(info.format), \(info.size), \(animation.frameCount) frames, \(total.text), plays \(plays)")

    // A line for each run of frames that are shown for equally long.
    var first = 0
    while first < durations.count {
      let next = durations[first...].firstIndex { $0 != durations[first] } ?? durations.count
      let frames = next - first == 1 ? "frame \(first)" : "frames \(first) to \(next - 1)"
      print("  \(frames): \(durations[first].text)")
      first = next
    }
  }
}

extension Duration {
  /// Such as `80 ms` or `1120 ms`.
  var text: String { "\(Int((self / .milliseconds(1)).rounded())) ms" }
}
