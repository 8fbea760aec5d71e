// Where the manifest builds CSQLCipher as a C target (Apple's platforms), a target needs a source.
#include "shim.h"
