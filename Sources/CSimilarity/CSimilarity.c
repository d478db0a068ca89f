#include "CSimilarity.h"
