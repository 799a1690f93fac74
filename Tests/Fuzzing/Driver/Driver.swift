import CFuzzer
import FuzzTargets
import Glibc

/// `calotype-fuzz TARGET [libFuzzer options and folders]`
@main
enum Driver {
  static func main() {
    let name = CommandLine.arguments.dropFirst().first ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
      print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
      exit(name == "--list" ? 0 : 2)
    }
    selected = target
    // The program with its target, and what follows: libFuzzer sees no more. To merge it starts itself by the first,
    // through a shell.
    var count = CommandLine.argc - 1
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
    arguments?[0] = strdup("\(CommandLine.arguments[0]) \(name)")
    exit(
      LLVMFuzzerRunDriver(&count, &arguments) { start, count in
        Driver.run(UnsafeRawBufferPointer(start: start, count: count))
        return 0
      })
  }

  /// libFuzzer calls one C function on one thread; it is set before, once.
  nonisolated(unsafe) private static var selected: FuzzTarget?

  private static func run(_ bytes: UnsafeRawBufferPointer) {
    do {
      try selected?.run(FuzzInput(bytes))
    } catch {
      let message = Array("\(error)\n".utf8)
      _ = write(STDERR_FILENO, message, message.count)
      abort()
    }
  }
}
