-- Schema version 1
-- Checksum: 3caa4dc033a63d55

CREATE TABLE "card" (
  "id" INTEGER PRIMARY KEY NOT NULL, -- int64
  "title" TEXT NOT NULL CHECK (length(title) BETWEEN 1 AND 200), -- text
  "notes" TEXT NOT NULL DEFAULT (''), -- text
  "lane" TEXT NOT NULL, -- text Lane
  "position" REAL NOT NULL, -- double
  "person_id" INTEGER REFERENCES "person" ON DELETE SET NULL, -- int64
  "version" INTEGER NOT NULL DEFAULT (1), -- int64
  "created" TEXT NOT NULL DEFAULT (CURRENT_TIMESTAMP) -- date
) STRICT;
CREATE INDEX "index_card_on_lane_position" ON "card" ("lane", "position");
CREATE INDEX "index_card_on_person_id" ON "card" ("person_id");

CREATE VIRTUAL TABLE "card_text" USING fts5("title", "notes", content = 'card', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2', prefix = '2');

CREATE TABLE "card_text_replaced" (
  key INTEGER,
  c0,
  c1
);

CREATE TABLE "person" (
  "id" INTEGER PRIMARY KEY NOT NULL, -- int64
  "name" TEXT NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 80) COLLATE NOCASE -- text
) STRICT;

CREATE TABLE "remark" (
  "id" INTEGER PRIMARY KEY NOT NULL, -- int64
  "card_id" INTEGER NOT NULL REFERENCES "card" ON DELETE CASCADE, -- int64
  "text" TEXT NOT NULL CHECK (length(text) BETWEEN 1 AND 2000), -- text
  "created" TEXT NOT NULL DEFAULT (CURRENT_TIMESTAMP) -- date
) STRICT;
CREATE INDEX "index_remark_on_card_id" ON "remark" ("card_id");

CREATE TRIGGER "card_text_after_delete" AFTER DELETE ON "card" BEGIN DELETE FROM "card_text_replaced" WHERE key = OLD."id"; INSERT INTO "card_text" ("card_text", rowid, "title", "notes") VALUES ('delete', OLD."id", OLD."title", OLD."notes"); END;

CREATE TRIGGER "card_text_after_insert" AFTER INSERT ON "card" BEGIN INSERT INTO "card_text" ("card_text", rowid, "title", "notes") SELECT 'delete', key, c0, c1 FROM "card_text_replaced" WHERE (key = NEW."id" OR key NOT IN (SELECT "id" FROM "card")); DELETE FROM "card_text_replaced"; INSERT INTO "card_text" (rowid, "title", "notes") VALUES (NEW."id", NEW."title", NEW."notes"); END;

CREATE TRIGGER "card_text_after_update" AFTER UPDATE ON "card" WHEN OLD."id" IS NOT NEW."id" COLLATE BINARY OR OLD."title" IS NOT NEW."title" COLLATE BINARY OR OLD."notes" IS NOT NEW."notes" COLLATE BINARY OR EXISTS (SELECT 1 FROM "card_text_replaced") BEGIN INSERT INTO "card_text" ("card_text", rowid, "title", "notes") SELECT 'delete', key, c0, c1 FROM "card_text_replaced" WHERE (key = NEW."id" OR key NOT IN (SELECT "id" FROM "card")) AND key <> OLD."id"; DELETE FROM "card_text_replaced"; INSERT INTO "card_text" ("card_text", rowid, "title", "notes") VALUES ('delete', OLD."id", OLD."title", OLD."notes"); INSERT INTO "card_text" (rowid, "title", "notes") VALUES (NEW."id", NEW."title", NEW."notes"); END;

CREATE TRIGGER "card_text_before_insert" BEFORE INSERT ON "card" BEGIN DELETE FROM "card_text_replaced"; INSERT INTO "card_text_replaced" SELECT "id", "title", "notes" FROM "card" WHERE ("id" = NEW."id"); END;

CREATE TRIGGER "card_text_before_update" BEFORE UPDATE ON "card" WHEN OLD."id" IS NOT NEW."id" BEGIN DELETE FROM "card_text_replaced"; INSERT INTO "card_text_replaced" SELECT "id", "title", "notes" FROM "card" WHERE "id" <> OLD."id" AND (("id" = NEW."id")); END;
