import ArgumentParser
import Calotype
import Crypto
import FoundationEssentials

@main
struct CalotypeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calotype", version: "0.1.0", subcommands: [InfoCommand.self])
}

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "info")
  @Flag var json = false
  @Flag var hash = false
  @Flag var firstFrame = false
  @Argument var sources: [String]

  func run() throws {
    var failed = false
    for source in sources {
      do throws(ImagingError) {
        let data: Data
        do { data = try Data(contentsOf: URL(filePath: source)) } catch {
          print("{\"source\":\"\(source)\",\"error\":{\"code\":\"unreadableFile\",\"message\":\"unreadable\"}}")
          failed = true
          continue
        }
        let info = try CoderRegistry.standard.probe(data)
        var line =
          "{\"source\":\"\(source)\",\"format\":\"\(info.format)\",\"width\":\(info.size.width),\"height\":\(info.size.height),\"frames\":\(info.frameCount),\"loopCount\":\(info.loopCount),\"durations\":\(info.durations),\"hasAlpha\":\(info.hasAlpha),\"bitDepth\":\(info.bitDepth),\"orientation\":\(info.orientation.rawValue)"
        if hash {
          let image = try CoderRegistry.standard.decode(
            data, options: DecodeOptions(appliesOrientation: false))
          let digest = image.bitmap.withUnsafeBytes { bytes in
            var copy = [UInt8](bytes)
            for i in stride(from: 0, to: copy.count, by: 4) where copy[i + 3] == 0 {
              copy[i] = 0
              copy[i + 1] = 0
              copy[i + 2] = 0
            }
            return SHA256.hash(data: copy).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
              .joined()
          }
          line += ",\"pixelsSHA256\":[\"\(digest)\"]"
        }
        print(line + "}")
      } catch {
        print("{\"source\":\"\(source)\",\"error\":{\"code\":\"\(error.code)\",\"message\":\"\(error)\"}}")
        failed = true
      }
    }
    if failed { throw ExitCode(1) }
  }
}
