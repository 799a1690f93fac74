import CalotypeServing
import CalotypeSettings
import CalotypeURLs
import FoundationEssentials
import Glibc

/// `calotype-server url`: signs paths, and reads and explains URLs, by the settings of the server.
enum URLCommand {
  static let usage = """
    usage: calotype-server url sign [--json] [--config FILE] [--env-file FILE] PATH…
           calotype-server url parse [--json] [--config FILE] [--env-file FILE] URL…
           calotype-server url explain [--json] [--config FILE] [--env-file FILE] [--accept TYPES]
                                       (--info WIDTHxHEIGHT:FORMAT | --file IMAGE) URL…

    Keys come from the environment (CALOTYPE_KEY and CALOTYPE_SALT, or …_FILE) or from the settings file, never from the
    command line. A - in the place of a URL stands for the lines of standard input. Exit status: 0 if a server with these
    settings accepts all URLs, 1 if it refuses one, 2 for wrong usage and settings that cannot be read.
    """

  /// Returns the status of the process.
  static func run(_ arguments: [String], environment: [String: String]) -> Int32 {
    do throws(URLUsageError) {
      let options = try URLOptions(arguments)
      let settings = try settings(options, environment)
      let rules: ServingRules
      do { rules = try ServingRules(settings) } catch { throw URLUsageError(error.description) }
      var status: Int32 = 0
      for url in try options.urls() where !perform(options, url, rules) { status = 1 }
      return status
    } catch {
      ServerCommand.complain("error: \(error.reason)")
      return 2
    }
  }

  private static func settings(
    _ options: URLOptions, _ environment: [String: String]
  ) throws(URLUsageError) -> Settings {
    var arguments = options.settings
    // URLs can be read without keys; nothing can be signed.
    if options.action != .sign { arguments.append("--allow-unsigned") }
    do throws(SettingsError) {
      return try SettingsLoader.load(SettingsInputs(environment: environment, arguments: arguments)).settings
    } catch {
      throw URLUsageError(
        error.problems.filter { $0.severity == .error }.map(\.description).joined(separator: "\n"))
    }
  }

  /// Returns whether the URL is accepted.
  private static func perform(_ options: URLOptions, _ url: String, _ rules: ServingRules) -> Bool {
    let now = Int64(Date.now.timeIntervalSince1970.rounded(.down))
    switch options.action {
    case .sign: return sign(url, options, rules, now)
    case .parse:
      let reading = ImageURLReading(url, rules.dialect, at: now)
      print(options.isJSON ? JSONLine.text(reading) : reading.lines.joined(separator: "\n"))
      return reading.fault == nil
    case .explain(let source):
      let report = ExplainReport(url, of: source, accept: options.accept, rules, at: now)
      print(options.isJSON ? JSONLine.text(report) : report.lines.joined(separator: "\n"))
      return report.isAccepted
    }
  }

  private static func sign(_ path: String, _ options: URLOptions, _ rules: ServingRules, _ now: Int64) -> Bool
  {
    let signed: SignedPath
    if rules.dialect.configuration.signature.keys.isEmpty {
      signed = SignedPath(
        path: path, code: "noKeys",
        message: "there are no keys; set CALOTYPE_KEY and CALOTYPE_SALT, or the variables of files with them")
    } else {
      signed = SignedPath(path, rules.dialect, at: now)
    }
    if options.isJSON {
      print(JSONLine.text(signed))
    } else if let url = signed.url {
      print(url)
    } else if let error = signed.error {
      ServerCommand.complain("\(path): \(error.message)")
    }
    return signed.url != nil
  }
}
