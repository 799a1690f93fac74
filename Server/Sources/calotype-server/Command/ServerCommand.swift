import CalotypeSettings
import FoundationEssentials
import Glibc

/// The command `calotype-server`.
@main
enum ServerCommand {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "check": exit(CheckCommand.run(inputs(arguments.dropFirst())))
    case "conformance": exit(await ConformanceCommand.run(Array(arguments.dropFirst())))
    case "health": exit(HealthCommand.run(inputs(arguments.dropFirst())))
    case "url":
      exit(URLCommand.run(Array(arguments.dropFirst()), environment: ProcessInfo.processInfo.environment))
    case "--help", "-h", "help": print(usage + "\n" + SettingsHelp.text(), terminator: "")
    case "--version": print("calotype-server 1")
    case let command? where !command.hasPrefix("-"):
      complain("\(command) is no command; see calotype-server --help")
      exit(2)
    default: exit(await ServeCommand.run(inputs(arguments[...])))
    }
  }

  /// Writes a line to standard error.
  static func complain(_ text: String) { FileHandleOutput.standardError.write(text + "\n") }

  private static func inputs(_ arguments: ArraySlice<String>) -> SettingsInputs {
    SettingsInputs(environment: ProcessInfo.processInfo.environment, arguments: Array(arguments))
  }

  private static let usage = """
    Serves images with the URLs of imgproxy: /signature/options/plain/source@format

    calotype-server [options]                        starts the server
    calotype-server check [--json] [options]         checks the settings and prints those in effect
    calotype-server url sign|parse|explain …         signs paths, and reads and explains URLs
    calotype-server health [--ready] [options]       asks the running server whether it is well
    calotype-server conformance FILE [FOLDER]        holds the code against vectors of another server

    Without keys, the server starts with --allow-unsigned only:
      calotype-server --allow-unsigned --local-filesystem-root /srv/images
      curl -o small.jpg 'http://127.0.0.1:8080/unsafe/rs:fit:320:240/plain/local:///dandelion.jpg'
    """
}
