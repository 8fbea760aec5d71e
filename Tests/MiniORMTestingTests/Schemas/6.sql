-- Schema version 6
-- Step 3: writers in a table of their own
-- Step 5: the number of words
-- Step 6: no moods
-- Checksum: 21fc9b5b4241085c

CREATE TABLE "note" (
  "id" INTEGER PRIMARY KEY NOT NULL, -- int64
  "title" TEXT NOT NULL, -- text
  "text" TEXT NOT NULL, -- text
  "created" TEXT NOT NULL, -- date
  "size" INTEGER, -- int64
  "modified" TEXT, -- date
  "personID" INTEGER NOT NULL REFERENCES "person", -- int64
  "words" INTEGER NOT NULL -- int64
) STRICT;

CREATE VIRTUAL TABLE "note_text" USING fts5("title", "text", content = 'note', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2');

CREATE TABLE "note_text_replaced" (
  key INTEGER,
  c0,
  c1
);

CREATE TABLE "person" (
  "id" INTEGER PRIMARY KEY NOT NULL, -- int64
  "name" TEXT NOT NULL UNIQUE -- text
) STRICT;

CREATE TRIGGER "note_text_after_delete" AFTER DELETE ON "note" BEGIN DELETE FROM "note_text_replaced" WHERE key = OLD."id"; INSERT INTO "note_text" ("note_text", rowid, "title", "text") VALUES ('delete', OLD."id", OLD."title", OLD."text"); END;

CREATE TRIGGER "note_text_after_insert" AFTER INSERT ON "note" BEGIN INSERT INTO "note_text" ("note_text", rowid, "title", "text") SELECT 'delete', key, c0, c1 FROM "note_text_replaced" WHERE (key = NEW."id" OR key NOT IN (SELECT "id" FROM "note")); DELETE FROM "note_text_replaced"; INSERT INTO "note_text" (rowid, "title", "text") VALUES (NEW."id", NEW."title", NEW."text"); END;

CREATE TRIGGER "note_text_after_update" AFTER UPDATE ON "note" WHEN OLD."id" IS NOT NEW."id" COLLATE BINARY OR OLD."title" IS NOT NEW."title" COLLATE BINARY OR OLD."text" IS NOT NEW."text" COLLATE BINARY OR EXISTS (SELECT 1 FROM "note_text_replaced") BEGIN INSERT INTO "note_text" ("note_text", rowid, "title", "text") SELECT 'delete', key, c0, c1 FROM "note_text_replaced" WHERE (key = NEW."id" OR key NOT IN (SELECT "id" FROM "note")) AND key <> OLD."id"; DELETE FROM "note_text_replaced"; INSERT INTO "note_text" ("note_text", rowid, "title", "text") VALUES ('delete', OLD."id", OLD."title", OLD."text"); INSERT INTO "note_text" (rowid, "title", "text") VALUES (NEW."id", NEW."title", NEW."text"); END;

CREATE TRIGGER "note_text_before_insert" BEFORE INSERT ON "note" BEGIN DELETE FROM "note_text_replaced"; INSERT INTO "note_text_replaced" SELECT "id", "title", "text" FROM "note" WHERE ("id" = NEW."id"); END;

CREATE TRIGGER "note_text_before_update" BEFORE UPDATE ON "note" WHEN OLD."id" IS NOT NEW."id" BEGIN DELETE FROM "note_text_replaced"; INSERT INTO "note_text_replaced" SELECT "id", "title", "text" FROM "note" WHERE "id" <> OLD."id" AND (("id" = NEW."id")); END;

CREATE TRIGGER "note_touched" AFTER UPDATE OF "text" ON "note" BEGIN UPDATE note SET modified = datetime('now', 'subsec') WHERE id = "new"."id"; END;
