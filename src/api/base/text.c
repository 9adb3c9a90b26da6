/* SPDX-License-Identifier: MIT */
#include <sonde/text.h>

#include "base/text.h"

void sonde_text_clean(char *text, size_t len)
{
	text_clean(text, len);
}
