import Calotype
import Foundation

func given<T>() -> T { fatalError() }
var url: URL { given() }
