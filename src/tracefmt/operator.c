/* SPDX-License-Identifier: MIT */
#include "tracefmt/operator.h"

#include "tracefmt/token.h"

int operator_rank(uint32_t op)
{
	switch (op) {
	case OPERATOR('*', 0, 0): case OPERATOR('/', 0, 0): case OPERATOR('%', 0, 0): return OPERATOR_PRODUCT;
	case OPERATOR('+', 0, 0): case OPERATOR('-', 0, 0): return 9;
	case OPERATOR('<', '<', 0): case OPERATOR('>', '>', 0): return OPERATOR_SHIFT;
	case OPERATOR('<', 0, 0): case OPERATOR('>', 0, 0):
	case OPERATOR('<', '=', 0): case OPERATOR('>', '=', 0): return OPERATOR_LESS;
	case OPERATOR('=', '=', 0): case OPERATOR('!', '=', 0): return OPERATOR_EQUAL;
	case OPERATOR('&', 0, 0): return 5;
	case OPERATOR('^', 0, 0): return 4;
	case OPERATOR('|', 0, 0): return 3;
	case OPERATOR('&', '&', 0): return OPERATOR_LOGICAL;
	case OPERATOR('|', '|', 0): return 1;
	default: return 0;
	}
}

uint64_t operator_result(uint32_t op, uint64_t a, uint64_t b, bool is_signed)
{
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	switch (op) {
	case OPERATOR('+', 0, 0): return a + b;
	case OPERATOR('-', 0, 0): return a - b;
	case OPERATOR('*', 0, 0): return a * b;
	case OPERATOR('/', 0, 0):
		if (b == 0 || (is_signed && sb == -1))
			return b ? -a : 0;
		return is_signed ? (uint64_t)(sa / sb) : a / b;
	case OPERATOR('%', 0, 0):
		if (b == 0 || (is_signed && sb == -1))
			return 0;
		return is_signed ? (uint64_t)(sa % sb) : a % b;
	case OPERATOR('&', 0, 0): return a & b;
	case OPERATOR('|', 0, 0): return a | b;
	case OPERATOR('^', 0, 0): return a ^ b;
	case OPERATOR('<', '<', 0): return a << (b & 63);
	case OPERATOR('>', '>', 0): return is_signed ? (uint64_t)(sa >> (b & 63)) : a >> (b & 63);
	case OPERATOR('=', '=', 0): return a == b;
	case OPERATOR('!', '=', 0): return a != b;
	case OPERATOR('<', 0, 0): return is_signed ? sa < sb : a < b;
	case OPERATOR('>', 0, 0): return is_signed ? sa > sb : a > b;
	case OPERATOR('<', '=', 0): return is_signed ? sa <= sb : a <= b;
	case OPERATOR('>', '=', 0): return is_signed ? sa >= sb : a >= b;
	case OPERATOR('&', '&', 0): return a && b;
	case OPERATOR('|', '|', 0): return a || b;
	default: return 0;
	}
}
