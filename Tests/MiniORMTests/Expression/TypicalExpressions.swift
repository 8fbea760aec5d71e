import Foundation
import MiniORM

// Expressions typical of applications. They never run: every build compiles them, and this command measures
// their compile time:
//
//   swift build --build-tests -Xswiftc -Xfrontend -Xswiftc -warn-long-expression-type-checking=50

@Table("employee")
private struct Employee: Identifiable {
  let id: Int64
  var name: String
  var age = 0
  var score: Double?
  var nickname: String?
  var isActive = true
  var level: Int?
  var height: Double = 1
  var born: Date
  @Column(as: .unixSeconds) var hired: Date
  var left: Date?
  var token: UUID
  var bossID: Int64?
}

private let employees = Table<Employee>()

private func select<each Value>(
  _ expressions: (Employee.Columns) -> (repeat MiniORM.SQLExpression<each Value>)
) {}

private func predicates(_ n: Int, _ name: String, _ date: Date, _ ids: [Int64], _ on: Bool) {
  _ = employees.where { $0.age == 1 }
  _ = employees.where { $0.age == n }
  _ = employees.where { $0.level == nil }
  _ = employees.where { $0.level == 3 }
  _ = employees.where { $0.level != n }
  _ = employees.where { $0.score > 1.5 }
  _ = employees.where { $0.score >= 1 && $0.score < 10 }
  _ = employees.where { $0.name == "Ada" }
  _ = employees.where { $0.name == name || $0.nickname == name }
  _ = employees.where { $0.isActive }
  _ = employees.where { !$0.isActive }
  _ = employees.where { $0.isActive == on }
  _ = employees.where { !$0.isActive && $0.age > 18 }
  _ = employees.where { $0.age >= 18 && $0.age <= 65 }
  _ = employees.where { $0.age.between(18, and: 65) }
  _ = employees.where { $0.id.isIn(ids) }
  _ = employees.where { $0.id.isIn([1, 2, 3]) }
  _ = employees.where { !$0.id.isIn([1, 2, 3]) && $0.name.isIn(["a", "b"]) }
  _ = employees.where { $0.name.like("A%") }
  _ = employees.where { $0.name.like("A!%", escape: "!") && !$0.nickname.like("%x%") }
  _ = employees.where { $0.name.hasPrefix("A") || $0.name.hasSuffix("z") || $0.name.contains("m") }
  _ = employees.where { ($0.nickname ?? "none") == "none" }
  _ = employees.where { ($0.nickname ?? "none").lower() == name }
  _ = employees.where { ($0.level ?? 0) + 1 > 3 }
  _ = employees.where { $0.age + 1 > 18 }
  _ = employees.where { $0.age * 2 + 1 == 37 }
  _ = employees.where { $0.age % 2 == 0 }
  _ = employees.where { ($0.age + n) * 2 - 1 < $0.age / 3 }
  _ = employees.where { $0.height * $0.height * 25 < 100 }
  _ = employees.where { $0.age - $0.age * 2 < -40 }
  _ = employees.where { $0.age.abs() > 3 && $0.height.round(1) == 1.8 }
  _ = employees.where { $0.born < date }
  _ = employees.where { $0.born < date && $0.left == nil }
  _ = employees.where { $0.left != nil && $0.left > date }
  _ = employees.where { $0.token == UUID() }
  _ = employees.where { $0.name.collate(.nocase) == "ada" }
  _ = employees.where { $0.name.length() > 3 && $0.name.upper() != "ADA" }
  _ = employees.where { $0.name.trim().substr(1, 3).appending("x") == "Adax" }
  _ = employees.where { $0.age > 18 && $0.isActive && $0.level != nil }
  _ = employees.where { $0.age > 18 && $0.isActive && $0.level != nil && $0.name != "" }
  _ = employees.where {
    $0.age > 18 && $0.isActive && $0.level != nil && $0.name != "" && $0.score > 2.5
  }
  _ = employees.where {
    $0.age > 18 && $0.isActive && $0.level != nil && $0.name != "" && $0.score > 2.5
      && $0.nickname == nil
  }
  _ = employees.where {
    $0.age > 18 && $0.isActive && $0.level != nil && $0.name != "" && $0.score > 2.5
      && $0.nickname == nil && $0.name.like("A%") && $0.height < 2 && $0.id != 7
      && $0.age != 30
  }
  _ = employees.where {
    ($0.age > 18 || $0.level == 1) && ($0.isActive || $0.level == 2)
      && ($0.level != nil || $0.level == 3) && ($0.name != "" || $0.score > 2.5)
      && ($0.age < 99 || $0.age == 100)
  }
  _ = employees.where {
    $0.age == 1 || $0.age == 2 || $0.age == 3 || $0.age == 4 || $0.age == 5 || $0.age == 6
      || $0.age == 7 || $0.age == 8 || $0.age == 9 || $0.age == 10
  }
  _ = employees.where {
    $0.level == 1 || $0.level == 2 || $0.level == 3 || $0.level == 4 || $0.level == 5
      || $0.level == 6 || $0.level == 7 || $0.level == 8 || $0.level == 9 || $0.level == 10
  }
  _ = employees.where {
    $0.name == "a" && $0.age == 1 && $0.level == 2 && $0.score == 1.5 && $0.isActive == true
      && $0.nickname == "b" && $0.height == 2.0 && $0.id == 4 && $0.bossID == 3 && $0.left == nil
  }
  _ = employees.where { p in
    p.name == name && p.age == n && p.level == n && p.height == 1.5 && p.isActive == on
      && p.nickname == name && p.height == 2.0 && p.id == 4 && p.bossID == nil && p.left == nil
  }
  _ = employees.where {
    $0.age + 1 > 2 && $0.age * 2 < 100 && $0.age - 3 != 4 && ($0.level ?? 0) + $0.age > 3
      && $0.height * 2 > 1.5
  }
  _ = employees.where { ($0.age + 1) * ($0.age + 2) * ($0.age + 3) > 10 * n }
  _ = employees.where { $0.age + $0.age + $0.age + $0.age + $0.age + 1 > 10 }
  _ = employees.where { $0.age > 18 }.order { ($0.age.descending, $0.name) }.limit(10)
  _ = employees.where { $0.age > 18 }.update { $0.age += 1 }
  _ = employees.where { $0.age > 18 }.update {
    $0.name = "x"
    $0.level = nil
    $0.age = $0.age + 1
    $0.score = $0.score * 2
    $0.height -= 0.5
  }
}

private func functions(_ n: Int, _ name: String, _ date: Date) {
  select { Case.when($0.age < 18, then: "minor").when($0.age < 65, then: "adult").else("senior") }
  select { Case($0.level).when(1, then: "low").when(2, then: "mid").when(nil, then: "none").end() }
  select {
    Case.when($0.age < 18, then: 1).when($0.age < 30, then: 2).when($0.age < 40, then: 3)
      .when($0.age < 50, then: 4).when($0.age < 60, then: 5).else(6)
  }
  select { Case.when($0.age < 18, then: $0.name).when($0.isActive && $0.age > 3, then: "x").end() }
  select { Case.when($0.age < 18, then: $0.nickname).when($0.age > 3, then: "x").end() }
  _ = employees.where { Case.when($0.age < 18, then: 1).else(0) == 1 }
  _ = employees.where { Case($0.level).when(1, then: 10).when(2, then: 20).else(0) + $0.age > 30 }
  select { ($0.isActive.iif("yes", else: "no"), ($0.age > 18).iif($0.name, else: $0.name.upper())) }
  select { ($0.age.sum(), $0.age.average(), $0.score.max(), $0.age.min(), $0.id.count()) }
  select { ($0.level, SQL.count(), $0.age.sum(filter: $0.isActive && $0.age > 3)) }
  select { ($0.age.sum() ?? 0, $0.age.total() / 2, SQL.count(filter: $0.age > 18)) }
  select { $0.name.groupConcat(separator: ", ", orderBy: $0.age.descending, $0.name) }
  select { $0.name.groupConcat(distinct: true) }
  select { SQL.rowNumber().over(partitionBy: $0.level, orderBy: $0.age.descending) }
  select {
    (
      $0.name, SQL.rank().over(orderBy: $0.score.descending),
      $0.age.sum().over(
        partitionBy: $0.level, $0.isActive, orderBy: $0.born, $0.id, frame: .rows(.preceding(3)))
    )
  }
  select { ($0.age.lag(1, default: 0).over(orderBy: $0.id), $0.score.lead().over(orderBy: $0.id)) }
  select { $0.age - $0.age.lag(default: 0).over(orderBy: $0.id) }
  _ = employees.where { RowValue($0.age, $0.name) > (n, name) }
  _ = employees.where { RowValue($0.age, $0.id) == RowValue($0.age, $0.id) && $0.isActive }
  _ = employees.where { RowValue($0.age, $0.name).isIn([(1, "a"), (2, "b")]) }
  _ = employees.where { $0.born.strftime("%Y") == "1990" && $0.born.applying(.days(30)) < date }
  _ = employees.where { $0.born.date() == "1990-01-01" || $0.left.applying(.startOfYear) == nil }
  _ = employees.where { ($0.age & 3) == 1 || ($0.age | 4) << 2 == 8 || ~$0.age < 0 }
  _ = employees.where { -$0.age < 0 && -$0.age + 3 > $0.age * -1 }
  _ = employees.where { $0.height.pow(2) * 25 > 80 && $0.height.apply(.sqrt) < 2 }
  _ = employees.where { ($0.height * 3.5 + 2).apply(.sin) > 0.5 }
  _ = employees.where { $0.age.cast(to: Double.self) / 3 > $0.height * 10 }
  _ = employees.where { ($0.nickname ?? $0.name) == name && ($0.nickname ?? $0.name).length() > 3 }
  _ = employees.where { ($0.nickname ?? $0.nickname ?? "x").lower().trim() == "x" }
  _ = employees.where { $0.level.coalesce($0.level, $0.level) == 3 && $0.name.nullif("") != nil }
  _ = employees.where { $0.age.max(18) > 20 && $0.age.min($0.age, $0.age) < 3 }
  _ = employees.where { $0.level == $0.age && $0.bossID != $0.id && $0.id == $0.bossID }
  _ = employees.where {
    $0.age.between($0.age - 1, and: $0.age + 1) && $0.age.isIn($0.age, $0.age * 2)
  }
  _ = employees.where { $0.name.like($0.name.appending("%")) && $0.name.contains($0.nickname) }
  _ = employees.where { $0.name.contains("x", caseInsensitive: true) && $0.name.regexp("^a") }
  _ = employees.where { $0.name.instr("a") > 2 && $0.name.ltrim("x") == $0.name.rtrim() }
  _ = employees.where { $0.id == SQL.rowID(of: Employee.self) && $0.name.hex() == "00" }
  select {
    (
      SQL.format("%d %s", $0.age, $0.name), SQL.concat($0.name, $0.age, separator: "-"),
      SQL.random()
    )
  }
  _ = employees.where { ($0.level ?? 0) + $0.age > 3 && $0.level + $0.age.optional > 3 }
  _ = employees.where {
    $0.age.sum() > 100 && SQL.count() > 3 && $0.score.average() < 5 && $0.age.max() != $0.age.min()
  }
  _ = employees.where { $0.born < SQL.now && $0.hired.applying(.years(1)) < SQL.now }
  _ = employees.where { 100 - $0.age * 2 > 10 && 2 * $0.height + 1 < 5 }
  _ = employees.where { 1.5 * $0.height + 2 * ($0.score ?? 0) - 100 / $0.height > 10 }
  _ = employees.where { $0.level < $0.age && $0.age >= $0.level && $0.name.length() > $0.age }
}
