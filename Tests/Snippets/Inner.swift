// The names that pages about modules without a public interface take for granted; see Prelude.swift.
@testable import CalotypeSupport
@testable import CalotypeTerminal
import CalotypeImaging
import Foundation

func given<T>() -> T { fatalError() }

enum GivenInCalotypeSupport {
  static var queue: Lock<[Waiter<Bool>]> { given() }
  static var chunk: Data { given() }
}

enum GivenInCalotypeTerminal {
  static var encoder: PictureEncoder { given() }
  static var bitmap: Bitmap { given() }
  static func write(_ bytes: [UInt8]) {}
}
