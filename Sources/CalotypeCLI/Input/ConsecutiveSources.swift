import ArgumentParser

/// One source, or several consecutive ones.
///
/// For each element of a list, ArgumentParser copies those before it: ten thousand URLs would take seconds.
/// So long runs of arguments are passed to it as one.
struct ConsecutiveSources: ExpressibleByArgument {
  let sources: [Source]

  init?(argument: String) {
    let texts = argument.split(separator: Self.separator, omittingEmptySubsequences: false)
    sources = texts.compactMap { Source(argument: String($0)) }
    if sources.count != texts.count { return nil }
  }

  /// A character that no argument can contain.
  private static let separator: Character = "\0"
  /// Shorter runs are left unchanged.
  private static let shortestRun = 64

  /// Returns the arguments of a command line, with long runs of sources joined.
  ///
  /// The first two of a run stay separate: they may be the name of a subcommand, or the value of an option.
  static func joined(_ arguments: [String]) -> [String] {
    var result: [String] = []
    var start = 0
    while start < arguments.count {
      let run = arguments[start...].prefix { !$0.isEmpty && !$0.hasPrefix("-") }
      if run.count < shortestRun {
        result += run
      } else {
        result += run.prefix(2)
        result.append(run.dropFirst(2).joined(separator: String(separator)))
      }
      start = run.endIndex
      if start < arguments.count {
        result.append(arguments[start])
        start += 1
      }
    }
    return result
  }
}
