import Calotype
import FoundationEssentials
import Glibc

/// The files that the arguments of `optimize` name, each once.
struct FileList {
  private(set) var paths: [String] = []
  private(set) var failures: [(path: String, error: CommandError)] = []
  private var seen: Set<OutputFile.Identity> = []

  /// - Parameters:
  ///   - arguments: Files, links to files, and folders.
  ///   - isRecursive: Whether folders are searched; links in them are not followed.
  init(_ arguments: [String], isRecursive: Bool) {
    for argument in arguments {
      if OutputFile.isFolder(argument) {
        guard isRecursive else {
          failures.append(
            (argument, .untouchedFile(path: argument, reason: "it is a folder; add --recursive")))
          continue
        }
        addFolder(argument)
      } else if let path = Self.target(of: argument) {
        // A link that the user names stands for its file.
        add(path)
      } else {
        let code = errno
        failures.append(
          (
            argument,
            code == ENOENT
              ? .missingFile : .unwritableOutput(path: argument, reason: String(cString: strerror(code)))
          ))
      }
    }
  }

  /// Returns the path of a file that an argument names; `nil`, with `errno`, if there is none.
  private static func target(of argument: String) -> String? {
    var status = stat()
    guard lstat(argument, &status) == 0 else { return nil }
    // The name that was given, unless it leads elsewhere.
    guard status.st_mode & S_IFMT == S_IFLNK else { return argument }
    guard stat(argument, &status) == 0 else { return nil }
    return URL(filePath: argument).resolvingSymlinksInPath().path
  }

  private mutating func add(_ path: String) {
    if let identity = OutputFile.Identity(path), !seen.insert(identity).inserted { return }
    paths.append(path)
  }

  private mutating func addFolder(_ path: String) {
    var folders = [path]
    while let folder = folders.popLast() {
      guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
        failures.append((folder, .unwritableOutput(path: folder, reason: "the folder cannot be read")))
        continue
      }
      for name in names.sorted() where !InPlaceFile.isTemporary(name) {
        let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
        var status = stat()
        guard lstat(path, &status) == 0 else { continue }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: folders.append(path)
        case S_IFREG where Self.isCandidate(name): add(path)
        default: continue
        }
      }
    }
  }

  /// Files in folders are chosen by their extension, those that the user names are not.
  private static func isCandidate(_ name: String) -> Bool {
    guard let dot = name.lastIndex(of: ".") else { return false }
    return ["png", "apng", "jpg", "jpeg", "jpe", "webp", "gif"].contains(
      name[name.index(after: dot)...].lowercased())
  }
}
