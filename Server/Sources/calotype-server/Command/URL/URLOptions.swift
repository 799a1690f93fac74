import CalotypeImaging
import FoundationEssentials

/// The command line of `calotype-server url`.
struct URLOptions: Sendable {
  /// A subcommand.
  enum Action: Sendable, Equatable {
    case sign
    case parse
    case explain(ExplainedSource)

    static func == (left: Action, right: Action) -> Bool {
      switch (left, right) {
      case (.sign, .sign), (.parse, .parse), (.explain, .explain): true
      default: false
      }
    }
  }

  /// Most URLs of standard input, and the bytes of them.
  private static let maxInputBytes = 64 << 20

  let action: Action
  var isJSON = false
  /// The files of settings, as options of the server.
  var settings: [String] = []
  var accept = ""
  private var arguments: [String] = []

  init(_ arguments: [String]) throws(URLUsageError) {
    guard let name = arguments.first else { throw URLUsageError(URLCommand.usage) }
    var rest = arguments.dropFirst()
    var source: ExplainedSource?
    func value(of option: String) throws(URLUsageError) -> String {
      guard let value = rest.popFirst() else { throw URLUsageError("\(option) needs a value") }
      return value
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "--json": isJSON = true
      case "--config", "--env-file": settings += [argument, try value(of: argument)]
      case "--accept" where name == "explain": accept = try value(of: argument)
      case "--info" where name == "explain": source = try ExplainedSource(text: try value(of: argument))
      case "--file" where name == "explain": source = try ExplainedSource(file: try value(of: argument))
      case "--help", "-h": throw URLUsageError(URLCommand.usage)
      case _ where argument.hasPrefix("-") && argument != "-":
        throw URLUsageError("\(argument) is no option of url \(name)\n" + URLCommand.usage)
      default: self.arguments.append(argument)
      }
    }
    switch name {
    case "sign": action = .sign
    case "parse": action = .parse
    case "explain":
      guard let source else { throw URLUsageError("explain needs --info or --file\n" + URLCommand.usage) }
      action = .explain(source)
    default: throw URLUsageError(URLCommand.usage)
    }
    guard !self.arguments.isEmpty else { throw URLUsageError("no URL\n" + URLCommand.usage) }
  }

  /// The URLs, those of standard input in the place of `-`.
  func urls() throws(URLUsageError) -> [String] {
    var urls: [String] = []
    for argument in arguments {
      guard argument == "-" else {
        urls.append(argument)
        continue
      }
      var bytes = 0
      while let line = readLine() {
        bytes += line.utf8.count
        guard bytes <= Self.maxInputBytes else {
          throw URLUsageError("standard input has more than \(Self.maxInputBytes) bytes; divide it")
        }
        if !line.isEmpty { urls.append(line) }
      }
    }
    return urls
  }
}
