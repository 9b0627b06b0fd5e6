/* SPDX-License-Identifier: MIT */
#include "abut/base.h"
