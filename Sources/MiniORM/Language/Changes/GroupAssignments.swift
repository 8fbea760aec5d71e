/// The columns of an `@Embedded` property, and the new values: `$0[\.address].city = "Reims"`.
@dynamicMemberLookup
public struct GroupAssignments<T: Model, Group: SourceColumns>: Sendable {
  fileprivate var assignments: Assignments<T>
  fileprivate let source: AliasedColumns<Group>
  fileprivate let target: AliasedColumns<Group>

  /// Accesses a column, to read its old value or assign an expression.
  public subscript<Value>(dynamicMember column: KeyPath<Group, SQLExpression<Value>>)
    -> SQLExpression<Value>
  {
    get { source[dynamicMember: column] }
    set {
      let column = target[dynamicMember: column]
      assignments.set(column, newValue.assignedPart(to: column.coding))
    }
  }

  // Disfavored, as in ``Assignments``.
  /// Accesses a column, to assign a value.
  @_disfavoredOverload
  public subscript<Value>(dynamicMember column: KeyPath<Group, SQLExpression<Value>>) -> Value {
    @available(*, unavailable, message: "A column cannot be read here: assign a value to it")
    // Unreachable: the compiler rejects every use of the getter.
    get { preconditionFailure("The compiler refuses every call") }
    set {
      let column = target[dynamicMember: column]
      assignments.set(column, SQLPart(column.binding(newValue)))
    }
  }
}

// Key path subscripts, unlike the dynamic members for columns: with more overloads, the compiler
// would resolve `!$0.isActive` to the negation of a value.
extension Assignments {
  /// Accesses the columns of an `@Embedded` property, to assign some of the columns:
  /// `$0[\.address].city = "Reims"`.
  public subscript<Group: SelectionColumns>(
    _ group: KeyPath<T.Columns, AliasedColumns<Group>>
  ) -> GroupAssignments<T, Group> {
    get {
      GroupAssignments(
        assignments: self, source: (source ?? T.columns)[keyPath: group],
        target: T.columns[keyPath: group])
    }
    set { self = newValue.assignments }
  }

  /// Accesses the columns of an optional `@Embedded` property, to assign some of the columns.
  public subscript<Group: SelectionColumns>(
    _ group: KeyPath<T.Columns, NullableColumns<AliasedColumns<Group>>>
  ) -> GroupAssignments<T, Group> {
    get {
      GroupAssignments(
        assignments: self, source: (source ?? T.columns)[keyPath: group]._source,
        target: T.columns[keyPath: group]._source)
    }
    set { self = newValue.assignments }
  }

  // The type is optional, because an optional has no members: the compiler would look for a
  // column's member in the value. If nil is assigned to a NOT NULL column, SQLite reports the
  // violation.
  /// Accesses an `@Embedded` property, to assign a value to all columns: `$0[\.address] = address`.
  @_disfavoredOverload
  public subscript<Group: SelectionColumns>(
    _ group: KeyPath<T.Columns, AliasedColumns<Group>>
  ) -> Group.Projected? where Group.Projected: Selection {
    @available(
      *, unavailable, message: "An @Embedded property cannot be read here: assign a value to it"
    )
    // Unreachable: the compiler rejects every use of the getter.
    get { preconditionFailure("The compiler refuses every call") }
    set { set(T.columns[keyPath: group], to: newValue) }
  }

  /// Accesses an optional `@Embedded` property, to assign a value to all columns.
  @_disfavoredOverload
  public subscript<Group: SelectionColumns>(
    _ group: KeyPath<T.Columns, NullableColumns<AliasedColumns<Group>>>
  ) -> Group.Projected? where Group.Projected: Selection {
    @available(
      *, unavailable, message: "An @Embedded property cannot be read here: assign a value to it"
    )
    // Unreachable: the compiler rejects every use of the getter.
    get { preconditionFailure("The compiler refuses every call") }
    set { set(T.columns[keyPath: group]._source, to: newValue) }
  }

  private mutating func set<Group: SelectionColumns>(
    _ columns: AliasedColumns<Group>, to group: Group.Projected?
  ) where Group.Projected: Selection {
    let names = columns._schemas.map(\.name.quotedIdentifier)
    do throws(DatabaseError) {
      let rows = try EchoDatabase.values(count: names.count, of: CollectionOfOne(group)) {
        (group, statement) throws(DatabaseError) in
        var next: Int32 = 1
        try group._bind(to: statement, at: &next)
      }
      for (name, value) in zip(names, rows.first ?? []) {
        set(name, SQLPart(SQL(binding: value)))
      }
    } catch {
      record(error)
    }
  }
}
