-- Schema version 1
-- Checksum: 4806745bc3b9fe85

CREATE TABLE "note" (
  "id" INTEGER PRIMARY KEY NOT NULL, -- int64
  "title" TEXT NOT NULL, -- text
  "body" TEXT NOT NULL, -- text
  "created" INTEGER NOT NULL, -- unixSeconds
  "mood" TEXT NOT NULL CHECK (mood IN ('good', 'bad')), -- text
  "writer" TEXT NOT NULL, -- text
  "size" INTEGER -- int64
) STRICT;
