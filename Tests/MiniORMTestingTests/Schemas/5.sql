-- Schema version 5
-- Step 3: writers in a table of their own
-- Step 5: the number of words
-- Checksum: f368a9103b261164

CREATE TABLE "note" (
  "id" INTEGER PRIMARY KEY NOT NULL, -- int64
  "title" TEXT NOT NULL, -- text
  "text" TEXT NOT NULL, -- text
  "created" TEXT NOT NULL, -- date
  "mood" TEXT NOT NULL CHECK (mood IN ('good', 'bad')), -- text
  "size" INTEGER, -- int64
  "modified" TEXT, -- date
  "personID" INTEGER NOT NULL REFERENCES "person", -- int64
  "words" INTEGER NOT NULL -- int64
) STRICT;

CREATE TABLE "person" (
  "id" INTEGER PRIMARY KEY NOT NULL, -- int64
  "name" TEXT NOT NULL UNIQUE -- text
) STRICT;

CREATE TRIGGER "note_touched" AFTER UPDATE OF "text" ON "note" BEGIN UPDATE note SET modified = datetime('now', 'subsec') WHERE id = "new"."id"; END;
