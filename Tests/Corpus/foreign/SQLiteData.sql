-- The shape of a file of SQLiteData.
-- https://swiftpackageindex.com/pointfreeco/sqlite-data/main/documentation/sqlitedata/preparingdatabase
-- https://swiftpackageindex.com/pointfreeco/sqlite-data/main/documentation/sqlitedata/cloudkit
-- https://swiftpackageindex.com/pointfreeco/swift-structured-queries/main/documentation/structuredqueriescore/definingyourschema
-- STRICT tables. A UUID is lowercase text, whose default is a function of the program; a Date is text.
-- moment reminders.dueDate = strftime('%s', dueDate) + ('0' || substr(dueDate, 20))

CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
CREATE TABLE "remindersLists" (
  "id" TEXT PRIMARY KEY NOT NULL ON CONFLICT REPLACE DEFAULT (uuid()),
  "color" INTEGER NOT NULL ON CONFLICT REPLACE DEFAULT 1251602431,
  "position" INTEGER NOT NULL ON CONFLICT REPLACE DEFAULT 0,
  "title" TEXT NOT NULL ON CONFLICT REPLACE DEFAULT ''
) STRICT;
CREATE TABLE "remindersListAssets" (
  "remindersListID" TEXT PRIMARY KEY NOT NULL REFERENCES "remindersLists"("id") ON DELETE CASCADE,
  "coverImage" BLOB
) STRICT;
CREATE TABLE "reminders" (
  "id" TEXT PRIMARY KEY NOT NULL ON CONFLICT REPLACE DEFAULT (uuid()),
  "dueDate" TEXT,
  "isFlagged" INTEGER NOT NULL ON CONFLICT REPLACE DEFAULT 0,
  "notes" TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '',
  "priority" INTEGER,
  "cost" REAL,
  "remindersListID" TEXT NOT NULL REFERENCES "remindersLists"("id") ON DELETE CASCADE,
  "title" TEXT NOT NULL ON CONFLICT REPLACE DEFAULT ''
) STRICT;
CREATE INDEX "index_reminders_on_list" ON "reminders"("remindersListID", "dueDate") WHERE "isFlagged";
CREATE TABLE "tags" (
  "title" TEXT COLLATE NOCASE PRIMARY KEY NOT NULL
) STRICT;
CREATE TABLE "remindersTags" (
  "id" TEXT PRIMARY KEY NOT NULL ON CONFLICT REPLACE DEFAULT (uuid()),
  "reminderID" TEXT NOT NULL REFERENCES "reminders"("id") ON DELETE CASCADE,
  "tagID" TEXT NOT NULL REFERENCES "tags"("title") ON DELETE CASCADE ON UPDATE CASCADE
) STRICT;
CREATE INDEX "index_remindersTags" ON "remindersTags"("reminderID", "tagID" COLLATE NOCASE);
CREATE TRIGGER "tags_lose_reminders" AFTER DELETE ON "remindersTags" WHEN NOT EXISTS (SELECT 1 FROM "remindersTags" WHERE "tagID" = old."tagID") BEGIN
  DELETE FROM "tags" WHERE "title" = old."tagID";
END;

INSERT INTO grdb_migrations VALUES ('Create initial tables');
INSERT INTO remindersLists VALUES ('6b1f7c1e-0d2c-4a3b-9c4d-5e6f7a8b9c0d', 1251602431, 0, 'Personal'), ('00000000-0000-0000-0000-000000000001', -1, 1, '');
INSERT INTO remindersListAssets VALUES ('6b1f7c1e-0d2c-4a3b-9c4d-5e6f7a8b9c0d', x'ffd8'), ('00000000-0000-0000-0000-000000000001', NULL);
INSERT INTO reminders VALUES
  ('00000000-0000-0000-0000-00000000000a', '2024-05-06 07:08:09.123', 1, '', 3, 12.0, '6b1f7c1e-0d2c-4a3b-9c4d-5e6f7a8b9c0d', 'Groceries'),
  ('00000000-0000-0000-0000-00000000000b', NULL, 0, 'two
lines', NULL, 0.5, '00000000-0000-0000-0000-000000000001', 'Call');
INSERT INTO tags VALUES ('Car'), ('weekend');
INSERT INTO remindersTags VALUES
  ('00000000-0000-0000-0000-0000000000f1', '00000000-0000-0000-0000-00000000000a', 'car'),
  ('00000000-0000-0000-0000-0000000000f2', '00000000-0000-0000-0000-00000000000b', 'Weekend'),
  ('00000000-0000-0000-0000-0000000000f3', '00000000-0000-0000-0000-00000000000b', 'Car');
