import CalotypeImaging
import CalotypeIsolation
import Glibc

/// Decodes a picture in a sandbox, tells the protections, and waits until it is killed or its input ends.
@main
enum SandboxHost {
  static func main() throws {
    let sandbox = DecodingSandbox(SandboxConfiguration(workers: 2))
    let coders = sandbox.coders(replacing: .standard)
    let bitmap = try Bitmap(size: PixelSize(width: 64, height: 48)) { pixels in
      for index in pixels.indices { pixels[index] = UInt8(truncatingIfNeeded: index) }
      return false
    }
    let data = try CoderRegistry.standard.encode(Image(bitmap: bitmap), as: .png)
    let isEqual = try coders.decode(data).bitmap == CoderRegistry.standard.decode(data).bitmap
    let posture = sandbox.statistics.posture
    let words = [isEqual ? "equal" : "different", posture?.hasSeccomp == true ? "seccomp" : "open"]
    let line =
      (words + ["landlock=\(posture?.landlockABI ?? -1)", "user=\(getuid())"]).joined(separator: " ") + "\n"
    _ = line.withCString { write(STDOUT_FILENO, $0, line.utf8.count) }
    while getchar() != EOF {}
    // Keeps the worker.
    _ = sandbox.statistics
  }
}
