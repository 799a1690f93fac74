import BenchmarkHarness
import FoundationEssentials

/// The peers that live in programs of their own, and the files they and others are measured on.
enum Peers {
  /// Starts the process that runs those in Python.
  ///
  /// - Throws: ``Skipped`` when they are not installed.
  static func start() throws -> PeerProcess {
    try PeerProcess(python(), arguments: [folder.appending(path: "worker.py").path])
  }

  /// The Python that has them.
  static func python() throws(Skipped) -> String {
    let python = benchmarks.appending(path: ".build/peers/bin/python").path
    guard FileManager.default.isExecutableFile(atPath: python) else {
      throw Skipped(reason: "the peers are not installed: run .ci/install bench")
    }
    return python
  }

  /// Where peers live that are not installed but built or run from here.
  static var folder: URL { benchmarks.appending(path: "Peers") }

  /// The path of a file that the peers make, once, from the sample photos.
  ///
  /// - Throws: as ``start()``.
  static func file(_ name: String) throws -> String {
    let file = made(name)
    if !FileManager.default.fileExists(atPath: file) {
      try start().make(file, photos: photos.path)
    }
    return file
  }

  /// Where a file is that is made once.
  static func made(_ name: String) -> String { benchmarks.appending(path: ".build/files/\(name)").path }

  /// The file of the rows that were last measured.
  static var lastResults: String { benchmarks.appending(path: ".build/last.jsonl").path }

  /// The contents of such a file.
  ///
  /// - Throws: as ``start()``.
  static func data(_ name: String) throws -> Data {
    try Data(contentsOf: URL(filePath: file(name)))
  }

  /// `Examples/Photos`.
  static var photos: URL {
    benchmarks.deletingLastPathComponent().appending(path: "Examples/Photos")
  }

  /// The command of Calotype, of the same build as this program.
  static var command: String { product("calotype") }

  /// A program of this package, of the same build as this one.
  static func product(_ name: String) -> String {
    URL(filePath: CommandLine.executablePath).deletingLastPathComponent().appending(path: name).path
  }

  /// The folder of this package.
  private static var benchmarks: URL {
    var folder = URL(filePath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    return folder
  }
}

extension CommandLine {
  /// The file of this program.
  fileprivate static var executablePath: String {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
  }
}
