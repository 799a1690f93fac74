import CalotypeIsolation
import Glibc

/// A program that decodes images for another one, for `SandboxConfiguration.Executable.path`. It links fewer libraries than
/// most programs and so starts sooner than they do a second time.
///
/// As a worker it never gets here.
@main
enum CalotypeDecoder {
  static func main() {
    let text = """
      calotype-decoder decodes images for programs that use Calotype, which start it themselves:
      SandboxConfiguration(executable: .path("/usr/libexec/calotype-decoder")).

      """
    _ = text.withCString { write(STDERR_FILENO, $0, text.utf8.count) }
    exit(2)
  }
}
