#include "build.h"

const char *coterie_build_name(void) { return COTERIE_BUILD; }
