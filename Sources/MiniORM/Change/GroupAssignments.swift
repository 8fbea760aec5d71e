/// The columns of a group to set, and to what: `$0[\.address].city = "Reims"`.
@dynamicMemberLookup
public struct GroupAssignments<T: Model, Group: SourceColumns>: Sendable {
  fileprivate var assignments: Assignments<T>
  /// What the columns are read as.
  fileprivate let source: AliasedColumns<Group>
  /// What is assigned to.
  fileprivate let target: AliasedColumns<Group>

  /// A column, to read its old value and to assign an expression.
  /// - Parameter column: The column.
  public subscript<Value>(dynamicMember column: KeyPath<Group, SQLExpression<Value>>)
    -> SQLExpression<Value>
  {
    get { source[dynamicMember: column] }
    set {
      let column = target[dynamicMember: column]
      assignments.set(column, newValue.convertedPart(to: column.coding))
    }
  }

  // Disfavoured, so that `+=` means the column's and not that of its values.
  /// A column, to assign a value.
  /// - Parameter column: The column.
  @_disfavoredOverload
  public subscript<Value>(dynamicMember column: KeyPath<Group, SQLExpression<Value>>) -> Value {
    @available(*, unavailable, message: "A column has no value here")
    // Unreachable: the compiler refuses every use of the getter.
    get { preconditionFailure("The compiler refuses every call") }
    set {
      let column = target[dynamicMember: column]
      assignments.set(column, SQLPart(column.binding(newValue)))
    }
  }
}

// Not members like the columns: more overloads of these would have the compiler take `!$0.isActive` for
// the negation of a value.
extension Assignments {
  /// A group of columns, to assign to some of them: `$0[\.address].city = "Reims"`.
  /// - Parameter group: The group.
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

  /// A group of columns that can be NULL together, to assign to some of them.
  /// - Parameter group: The group.
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

  // An optional, which has no members: the compiler would else look for a column's in the group's value.
  // Where it gives NULL to a column that cannot be NULL, SQLite says so.
  /// A group of columns, to assign to all of them: `$0[\.address] = address`.
  /// - Parameter group: The group.
  @_disfavoredOverload
  public subscript<Group: SelectionColumns>(
    _ group: KeyPath<T.Columns, AliasedColumns<Group>>
  ) -> Group.Projected? where Group.Projected: Selection {
    @available(*, unavailable, message: "A group of columns has no value here")
    // Unreachable: the compiler refuses every use of the getter.
    get { preconditionFailure("The compiler refuses every call") }
    set { set(T.columns[keyPath: group], to: newValue) }
  }

  /// A group of columns that can be NULL together, to assign to all of them.
  /// - Parameter group: The group.
  @_disfavoredOverload
  public subscript<Group: SelectionColumns>(
    _ group: KeyPath<T.Columns, NullableColumns<AliasedColumns<Group>>>
  ) -> Group.Projected? where Group.Projected: Selection {
    @available(*, unavailable, message: "A group of columns has no value here")
    // Unreachable: the compiler refuses every use of the getter.
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
