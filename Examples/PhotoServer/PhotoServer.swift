@main
enum PhotoServer { static func main() {} }
