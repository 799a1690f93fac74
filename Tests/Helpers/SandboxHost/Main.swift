import CalotypeImaging
import CalotypeIsolation
import FoundationEssentials
import Glibc
import PNMCoder

/// Decodes pictures in a sandbox, tells the protections, and waits until it is killed or its input ends. With the argument `main`,
/// workers start in `main`, with a decoder of this program.
@main
enum SandboxHost {
  static func main() throws {
    var own = CoderRegistry.standard
    own.register(PNMDecoder())
    DecodingWorker.runIfAsked(coders: own)
    let startsInMain = CommandLine.arguments.contains("main")
    let sandbox = DecodingSandbox(
      SandboxConfiguration(workers: 2, entry: startsInMain ? .main : .initializer))
    let coders = sandbox.coders(replacing: own)
    let bitmap = try Bitmap(size: PixelSize(width: 64, height: 48)) { pixels in
      for index in pixels.indices { pixels[index] = UInt8(truncatingIfNeeded: index) }
      return false
    }
    let data = try own.encode(Image(bitmap: bitmap), as: .png)
    var isEqual = try coders.decode(data).bitmap == own.decode(data).bitmap
    if startsInMain {
      let picture = Data("P2 2 2 255 0 1 2 3\n".utf8)
      isEqual = try isEqual && coders.decode(picture).bitmap == own.decode(picture).bitmap
      #if SVG
      if SVGDecoder().refusal(of: .svg) == nil {
        let drawing = Data("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>".utf8)
        isEqual = try isEqual && coders.decode(drawing).size == PixelSize(width: 9, height: 9)
      }
      #endif
    }
    let statistics = sandbox.statistics
    let words = [
      isEqual && statistics.decodedHere == 0 ? "equal" : "different",
      statistics.posture?.hasSeccomp == true ? "seccomp" : "open",
      "landlock=\(statistics.posture?.landlockABI ?? -1)", "user=\(getuid())",
    ]
    let line = words.joined(separator: " ") + "\n"
    _ = line.withCString { write(STDOUT_FILENO, $0, line.utf8.count) }
    while getchar() != EOF {}
    // Keeps the workers.
    _ = sandbox.statistics
  }
}
