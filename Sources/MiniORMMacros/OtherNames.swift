import SwiftSyntax

// Constraints under their names in other libraries. The compiler reports an unknown member of
// ColumnConstraint, and `@Table` adds the equivalent. Unavailable members of ColumnConstraint would
// give a single message, but each would be a public declaration.
extension ExprSyntax {
  /// The advice for a constraint that MiniORM writes in a different way; nil for other expressions.
  var otherNameAdvice: String? {
    guard let name = memberName else { return nil }
    let first = self.as(FunctionCallExprSyntax.self)?.arguments.first
    // `.notNull(onConflict: .replace)` is a constraint.
    if first?.label?.text != "onConflict", let advice = otherNames[name] { return advice }
    guard let argument = first else { return nil }
    let isText = argument.expression.is(StringLiteralExprSyntax.self)
    switch (name, argument.label?.text) {
    case ("type", _) where !isText:
      return
        "The column's type follows from the property's type; for another program's table write "
        + #"the type as text: '.type("TEXT")'"#
    case ("references", nil) where isText:
      return "Write the parent model: '.references(City.self)'"
    case ("primaryKey", "autoIncrement"): return "Write '.primaryKey(autoincrement: true)'"
    default: return nil
    }
  }
}

private let otherNames: [String: String] = {
  let advice: [([String], String)] = [
    (
      ["index", "indexed"],
      "Declare the index in the model: 'static var indexes: [Index<Self>] { [Index { $0.name }] }'"
    ),
    (["uniqueIndex"], "Write '.unique'"),
    (
      ["notNull", "required"],
      "A column is NOT NULL unless the property is optional: leave this out"
    ),
    (
      ["nullable", "optional"],
      "A column allows NULL if the property is optional: declare it so, and leave this out"
    ),
    (
      ["primary", "key", "id", "identifier"],
      "Write '.primaryKey'; a property named 'id' is the key without it"
    ),
    (
      ["autoincrement", "autoIncrement"],
      "Write '.primaryKey(autoincrement: true)'; an integer key is assigned without it too"
    ),
    (
      ["foreignKey", "belongsTo", "onDelete"],
      "Write '.references(Parent.self, onDelete: .cascade)'"
    ),
    (["nocase", "noCase", "caseInsensitive"], "Write '.collate(.nocase)'"),
    (["length", "maxLength", "size"], #"Write '.check("length(name) <= 100")'"#),
    (
      ["text", "integer", "real", "blob"],
      "The column's type follows from the property's type: leave this out, or write "
        + #"'.type("VARCHAR(100)")' for another program's table"#
    ),
    (["json"], "A storage format has a label: '@Column(as: .json)'"),
    (
      ["unixSeconds", "unixMilliseconds"],
      "A storage format has a label: '@Column(as: .unixSeconds)'"
    ),
    (["uuidBytes"], "A storage format has a label: '@Column(as: .uuidBytes)'"),
    (["decimal"], "A storage format has a label: '@Column(as: .decimal(scale: 2))'"),
    (["name"], #"Write the name first: '@Column("name")'"#),
    (["transient", "ignored"], "Write '@Transient' instead of '@Column'"),
    (
      ["defaultValue", "defaults"], "Write '.default(3)', or a default in Swift: 'var size = 3'"
    ),
    (["originalName"], #"Write '@Column(renamedFrom: "name")'"#),
    (["computed"], #"Write '.generated("price * 2")'"#),
    (["encrypted"], "SQLCipher encrypts the whole file: leave this out"),
  ]
  return Dictionary(
    advice.flatMap { names, advice in names.map { ($0, advice) } },
    uniquingKeysWith: { first, _ in first })
}()
