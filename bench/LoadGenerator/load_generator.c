#include "load_generator.h"
