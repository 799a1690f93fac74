import ArgumentParser
import BenchmarkHarness
import FoundationEssentials

/// Starts the command, or the work of a child process.
@main
enum Main {
  static func main() throws {
    var arguments = CommandLine.arguments.dropFirst()
    // Started by the benchmarks of memory and of load.
    switch (arguments.popFirst(), arguments.popFirst()) {
    case ("--decode-once", let file?): print(try Benchmark.decodeOnce(file))
    case ("--thumbnail-once", let file?): print(try Benchmark.thumbnailOnce(file))
    case ("--heif-once", let file?): print(try Benchmark.heifOnce(file))
    case ("--load-once", let name?): LoadChild.run(name, Array(arguments))
    default: CalotypeBenchmarks.main()
    }
  }
}
