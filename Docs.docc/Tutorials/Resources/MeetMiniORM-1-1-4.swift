import MiniORM

@main
struct Directory {
  static func main() async throws {
    print("The directory is open.")
  }
}
