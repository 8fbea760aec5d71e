-- Schema version 2
-- Checksum: 1cd2413d43cb3eb4

CREATE TABLE "note" (
  "id" INTEGER PRIMARY KEY NOT NULL, -- int64
  "title" TEXT NOT NULL, -- text
  "text" TEXT NOT NULL, -- text
  "created" INTEGER NOT NULL, -- unixSeconds
  "mood" TEXT NOT NULL CHECK (mood IN ('good', 'bad')), -- text
  "writer" TEXT NOT NULL, -- text
  "size" INTEGER, -- int64
  "modified" TEXT -- date
) STRICT;

CREATE TRIGGER "note_touched" AFTER UPDATE OF "text" ON "note" BEGIN UPDATE note SET modified = datetime('now', 'subsec') WHERE id = "new"."id"; END;
