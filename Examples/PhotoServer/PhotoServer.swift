import CalotypeTestKit
import FoundationEssentials
import Glibc

/// Serves the files of a folder on loopback: `swift run PhotoServer FOLDER [PORT]`. Prints its address.
@main
struct PhotoServer {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 2, let port = UInt16(arguments.count > 2 ? arguments[2] : "0") else {
      print("usage: PhotoServer FOLDER [PORT]")
      exit(2)
    }
    let server: ScriptedHTTPServer
    do {
      server = try ScriptedHTTPServer(port: port)
    } catch {
      say("PhotoServer: \(error)\n", on: STDERR_FILENO)
      exit(1)
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: arguments[1]) {
      let data = try Data(contentsOf: URL(filePath: arguments[1]).appending(path: name))
      server.route("/" + name, .body(data))
    }
    say("http://127.0.0.1:\(server.port)\n", on: STDOUT_FILENO)
    while true { pause() }
  }

  private static func say(_ text: String, on descriptor: Int32) {
    var text = text
    _ = text.withUTF8 { write(descriptor, $0.baseAddress, $0.count) }
  }
}
