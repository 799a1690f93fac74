#if SVG
import CalotypeImaging
import FoundationEssentials
import Glibc

/// Draws SVG files in a process of its own, as a sandboxed one would: `SVGDrawer [OPTION…] FILE…`.
///
///     --box WxH      shrinks or enlarges to a box
///     --fill         fills the box
///     --png FOLDER   writes pictures as well
///     --times N      draws each N times and reports the least processor time in milliseconds
///
/// After the warm-up no file can be opened, unless pictures are written. Of each file comes a line of fields with tabs between
/// them: the name, and the width, the height, the means of premultiplied RGBA in at most 8 by 8 cells as hex, and the time; or
/// the code and the text of the error.
@main
struct SVGDrawer {
  private var thumbnail: Thumbnail?
  private var folder: String?
  private var times = 1

  static func main() {
    var drawer = SVGDrawer()
    var files: [String] = []
    var arguments = Array(CommandLine.arguments.dropFirst())
    func next() -> String { arguments.isEmpty ? "" : arguments.removeFirst() }
    while !arguments.isEmpty {
      let argument = next()
      switch argument {
      case "--box":
        let sides = next().split(separator: "x").map { Int($0) ?? 0 }
        drawer.thumbnail = .fit(width: sides[0], height: sides[1])
      case "--fill": drawer.thumbnail?.mode = .fill
      case "--png": drawer.folder = next()
      case "--times": drawer.times = Int(next()) ?? 1
      default: files.append(argument)
      }
    }
    do {
      let inputs = try files.map { ($0, try Data(contentsOf: URL(filePath: $0))) }
      try SVGDecoder.warmUp()
      if drawer.folder == nil {
        var none = rlimit(rlim_cur: 3, rlim_max: 3)
        guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none) == 0 else { exit(2) }
      }
      for (name, data) in inputs {
        // Not buffered: the next drawing may end the process.
        let line = "\(name.split(separator: "/").last ?? "")\t\(drawer.line(name, data))\n"
        _ = write(STDOUT_FILENO, line, line.utf8.count)
      }
    } catch {
      print("warm-up", error, separator: "\t")
      exit(2)
    }
  }

  private func line(_ name: String, _ data: Data) -> String {
    let options = DecodeOptions(thumbnail: thumbnail)
    do throws(ImagingError) {
      let image = try CoderRegistry.sandboxed.decode(data, options: options)
      var least = Double.infinity
      if times > 1 {
        for _ in 0..<times {
          let start = clock()
          _ = try CoderRegistry.sandboxed.decode(data, options: options)
          least = min(least, Double(clock() - start) / 1000)
        }
      }
      if let folder, let last = name.split(separator: "/").last {
        try? image.write(to: URL(filePath: "\(folder)/\(last).png"), as: .png)
      }
      let time = times > 1 ? "\t\(least)" : ""
      return "\(image.width)\t\(image.height)\t\(Self.grid(image.bitmap))\(time)"
    } catch {
      return "\(error.code)\t\(error)"
    }
  }

  private static func grid(_ bitmap: Bitmap) -> String {
    let (columns, rows) = (min(8, bitmap.width), min(8, bitmap.height))
    return bitmap.withUnsafeBytes { pixels in
      var text = ""
      for row in 0..<rows {
        for column in 0..<columns {
          var sums = [0.0, 0, 0, 0]
          let across = column * bitmap.width / columns..<(column + 1) * bitmap.width / columns
          let down = row * bitmap.height / rows..<(row + 1) * bitmap.height / rows
          for y in down {
            for x in across {
              let start = 4 * (y * bitmap.width + x)
              let alpha = Double(pixels[start + 3])
              for channel in 0..<3 { sums[channel] += Double(pixels[start + channel]) * alpha / 255 }
              sums[3] += alpha
            }
          }
          for sum in sums {
            let mean = UInt8(min(255, (sum / Double(across.count * down.count)).rounded()))
            text += mean < 16 ? "0" : ""
            text += String(mean, radix: 16)
          }
        }
      }
      return text
    }
  }
}
#else
@main
struct SVGDrawer {
  static func main() {}
}
#endif
