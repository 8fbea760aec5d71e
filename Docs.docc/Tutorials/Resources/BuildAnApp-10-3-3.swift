import MiniORM
import Testing
@testable import Journal

let version3 = """
  CREATE TABLE category (id INTEGER PRIMARY KEY, name TEXT);
  CREATE TABLE expense (id INTEGER PRIMARY KEY, date TEXT,
    amount INTEGER, note TEXT, categoryID INTEGER);
  INSERT INTO category (name) VALUES ('Food');
  INSERT INTO expense (date, amount, note, categoryID)
    VALUES ('2025-03-02', 2400, 'Tea', 1);
  """
