import CHostile
public import CalotypeImaging
import CalotypeIsolation
public import FoundationEssentials
import Glibc

/// A decoder whose images are attacks on the process that decodes them. It is registered in the workers of test programs only,
/// and in no other process.
///
/// An image is the text `EVIL`, the number of an attack, and an argument of 8 bytes.
public struct HostileDecoder: ImageDecoding {
  /// What an image does to the process that decodes it.
  public enum Attack: UInt8, CaseIterable, Sendable {
    /// Decodes to a white pixel: the only one that does no harm.
    case none
    /// Writes to the address 0.
    case writeToNull
    /// Executes an instruction that ends the process.
    case trap
    /// Calls `abort`.
    case abort
    /// Ends with a message of Swift.
    case fatalError
    /// Calls itself until the stack ends.
    case overflowStack
    /// Computes for ever.
    case spin
    /// Sleeps.
    case sleep
    /// Allocates and touches memory until there is none, then decodes to a pixel.
    case exhaustMemory
    /// Writes behind the shared memory for results.
    case writeBehindResults
    /// Writes to the shared memory of the input.
    case writeToInput
    /// Replies, and goes on writing to the picture.
    case scribble
    /// Replies twice to its job.
    case replyTwice
    /// Replies to a job that it does not have.
    case replyToAnotherJob
    /// Replies with a size that is not there.
    case replyWithHugeSize
    /// Replies with text that is not UTF-8.
    case replyWithBadText
    /// Replies with the first half of a message.
    case replyWithHalf
    /// Replies with bytes that are no message.
    case replyWithNoise
    /// Replies with a longer message than there may be.
    case replyWithTooMuch
    /// Makes the system call of the argument, with zeros.
    case systemCall
    /// Opens a file.
    case openFile
    /// Opens a socket.
    case openSocket
    /// Connects a socket.
    case connect
    /// Starts another program in its place.
    case execute
    /// Starts a process.
    case fork
    /// Attaches to the host as a debugger.
    case traceHost
    /// Reads the memory of the host.
    case readHost
    /// Sends the host a signal.
    case killHost
    /// Creates a file in memory.
    case createMemory
    /// Makes memory executable.
    case makeExecutable
    /// Closes the connection to the host.
    case closeConnection
    /// Makes a call by the interface of x32 programs.
    case callX32
    /// Makes a call by the interface of 32-bit programs.
    case call386
    /// Ends with a status.
    case exit
    /// Decodes to a picture whose bytes are the environment.
    case environment
  }

  /// The format.
  public static let format = ImageFormat(rawValue: "evil")

  /// Creates the decoder.
  public init() {}

  /// Returns an image.
  public static func image(_ attack: Attack, argument: UInt64 = 0) -> Data {
    var data = Data("EVIL".utf8)
    data.append(attack.rawValue)
    withUnsafeBytes(of: argument.littleEndian) { data.append(contentsOf: $0) }
    return data
  }

  /// The format of the attacks.
  public var formats: [ImageFormat] { [Self.format] }
  /// The length of the text `EVIL`.
  public var signatureLength: Int { 4 }

  /// Returns the format if the bytes begin with `EVIL`.
  public func format(of prefix: Data) -> ImageFormat? {
    prefix.starts(with: "EVIL".utf8) ? Self.format : nil
  }

  /// Describes a picture of a row of pixels.
  public func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    ImageInfo(format: Self.format, size: PixelSize(width: Self.side, height: 1))
  }

  /// The width of the pictures, which are one pixel high.
  public static let side = 64

  /// Does what the image says, and decodes it if that has failed.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    guard data.count >= 13, let attack = Attack(rawValue: data[data.startIndex + 4]) else {
      throw .corrupt(Self.format, reason: "there is no such attack", offset: 4)
    }
    let argument = data.dropFirst(5).prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    // Only where nothing is to be lost.
    guard getenv("CALOTYPE_SANDBOX_WORKER") != nil else {
      throw .unsupportedFormat(Self.format, reason: "attacks are for sandboxes")
    }
    var text: [UInt8] = []
    if attack == .environment {
      var variable = environ
      while let entry = variable.pointee {
        text += String(cString: entry).utf8
        text.append(10)
        variable += 1
      }
    } else {
      HostileProcess.perform(attack, argument)
    }
    let info = try probe(data, limits: options.limits)
    let bitmap = try Bitmap(size: info.size, format: .rgba8) { buffer in
      for index in buffer.indices { buffer[index] = index < text.count ? text[index] : 255 }
      return false
    }
    return Image(bitmap: bitmap, info: info)
  }
}

/// Called in workers of test programs, before they give up their rights.
@_cdecl("calotype_sandbox_prepare")
public func calotypeSandboxPrepare() {
  _ = HostileProcess.host
  DecodingWorker.registerForTests(HostileDecoder())
}
