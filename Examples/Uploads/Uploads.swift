import Calotype
import FoundationEssentials
import Glibc

/// Stores one upload as a server would, and prints the response: `swift run Uploads store photo.jpg`, or from standard input.
@main
struct Uploads {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    guard let folder = arguments.first, arguments.count <= 2 else {
      print("usage: Uploads FOLDER [FILE]")
      exit(2)
    }
    let path = arguments.dropFirst().first
    let descriptor = path.map { open($0, O_RDONLY | O_CLOEXEC) } ?? STDIN_FILENO
    // A file has a length, as most requests do; a pipe is a request without Content-Length.
    var status = stat()
    let hasLength = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG

    let handler = UploadHandler(folder: URL(filePath: folder, directoryHint: .isDirectory))
    do throws(UploadError) {
      let stored = try await handler.receive(
        FileChunks(descriptor: descriptor), declaredLength: hasLength ? Int(status.st_size) : nil)
      print("201 Created")
      for file in [stored.original] + stored.thumbnails {
        print("\(file.name)  \(file.size)  \(file.data.count) bytes")
      }
    } catch {
      print("\(error.status) \(error.message)")
      if let seconds = error.retryAfter { print("Retry-After: \(seconds)") }
      exit(1)
    }
  }
}
