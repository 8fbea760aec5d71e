import Foundation
import MiniORM

@main
struct Journal {
  static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    do {
      try await run(words.first ?? "", Array(words.dropFirst()))
      return
    } catch let mistake as Mistake {
      print(mistake.message)
    } catch {
      let reason = (error as? DatabaseError)?.failureReason
      print(error.localizedDescription, reason ?? "")
    }
    exit(1)
  }
  static func run(
    _ command: String, _ words: [String]
  ) async throws {
    let key = try Key.journal(name)
    if command == "check" { return try await check(key) }
    let database = try await open(key)
    switch command {
    case "add": try await add(words, to: database)
    case "list": try await list(database)
    case "import":
      try await importFile(words.first ?? "", into: database)
    case "sample": sample(words.first.flatMap { Int($0) } ?? 10)
    case "search": try await search(words, in: database)
    case "report":
      try await report(words.first ?? "", in: database)
    case "attach": try await attach(words, in: database)
    case "show":
      try await show(Int64(words.first ?? "") ?? 0, in: database)
    case "save": try await save(words, in: database)
    case "delete":
      try await delete(
        Int64(words.first ?? "") ?? 0, in: database)
    case "assign": try await assign(words, in: database)
    case "watch":
      try await watch(Int(words.first ?? "") ?? 0, database)
    case "backup":
      try await backup(
        words.first ?? "backup.db", of: database, key)
    case "restore":
      try await restore(
        words.first ?? "backup.db", into: database, key)
    case "budget": try await budget(database)
    case "rekey": try await rekey(database)
    default:
      throw Mistake(
        "add, list, import, sample,\nsearch, report, attach, "
          + "show, save, delete, assign, watch,\n"
          + "backup, restore, rekey, check, budget")
    }
    try await database.close()
  }
}
