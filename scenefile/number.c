// SPDX-License-Identifier: MIT
// number.c - see number.h.
//
// Note: up to 15 digits with a small exponent are one exact multiplication or division (Clinger,
//       "How to read floating point numbers accurately", 1990); everything else is a quotient of
//       two large integers, of which 64 bits and whether anything is left decide.

#include "number.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/// Digits that are looked at; of those beyond only whether all are zero matters, because no double
/// or middle between two has more than 767.
#define MAX_DIGITS 800
/// Powers of ten outside of which a number is beyond the doubles, or nearer to 0 than to any other.
#define MAX_EXPONENT 310
#define MIN_EXPONENT (-330)
/// Words of large integers: 10^1130 shifted by 64 bits and 800 digits fit.
#define WORDS 136

static bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

size_t sdNumber_Scan(const char* text, size_t length) {
    size_t i = 0;
    i += i < length && text[i] == '-';
    size_t first = i;
    while (i < length && isDigit(text[i])) {
        ++i;
    }
    if (i == first || (i - first > 1 && text[first] == '0')) {
        return 0;
    }
    if (i < length && text[i] == '.') {
        size_t point = i++;
        while (i < length && isDigit(text[i])) {
            ++i;
        }
        if (i == point + 1) {
            return 0;
        }
    }
    if (i < length && (text[i] == 'e' || text[i] == 'E')) {
        size_t end = ++i;
        if (i < length && (text[i] == '+' || text[i] == '-')) {
            end = ++i;
        }
        while (i < length && isDigit(text[i])) {
            ++i;
        }
        if (i == end) {
            return 0;
        }
    }
    return i;
}

// ---- large integers ------------------------------------------------------------------------

/// Little end first.
typedef struct Large {
    uint32_t words[WORDS];
    int count; ///< without leading zeros
} Large;

/// times `factor`, plus `add`
static void scale(Large* a, uint32_t factor, uint32_t add) {
    uint64_t carry = add;
    for (int i = 0; i < a->count; ++i) {
        carry += (uint64_t)a->words[i] * factor;
        a->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0 && a->count < WORDS) {
        a->words[a->count++] = (uint32_t)carry;
    }
}

static void scaleByPowerOfTen(Large* a, int power) {
    for (; power >= 9; power -= 9) {
        scale(a, 1000000000u, 0);
    }
    for (; power > 0; --power) {
        scale(a, 10u, 0);
    }
}

static int bitCount(const Large* a) {
    int bits = 0;
    for (uint32_t top = a->count > 0 ? a->words[a->count - 1] : 0; top != 0; top >>= 1) {
        ++bits;
    }
    return a->count > 0 ? 32 * (a->count - 1) + bits : 0;
}

static void shiftLeft(Large* a, int bits) {
    int words = bits / 32, rest = bits % 32;
    if (a->count <= 0 || words < 0 || a->count + words + 1 > WORDS) {
        return;
    }
    uint32_t carry = 0;
    for (int i = 0; i < a->count; ++i) {
        uint32_t word = a->words[i];
        a->words[i] = (word << rest) | carry;
        carry = rest > 0 ? word >> (32 - rest) : 0;
    }
    memmove(a->words + words, a->words, (size_t)a->count * sizeof a->words[0]);
    memset(a->words, 0, (size_t)words * sizeof a->words[0]);
    a->count += words;
    if (carry != 0) {
        a->words[a->count++] = carry;
    }
}

static int compare(const Large* a, const Large* b) {
    if (a->count != b->count) {
        return a->count < b->count ? -1 : 1;
    }
    for (int i = a->count - 1; i >= 0; --i) {
        if (a->words[i] != b->words[i]) {
            return a->words[i] < b->words[i] ? -1 : 1;
        }
    }
    return 0;
}

/// a -= b, where a >= b
static void subtract(Large* a, const Large* b) {
    uint64_t borrow = 0;
    for (int i = 0; i < a->count; ++i) {
        uint64_t take = (i < b->count ? b->words[i] : 0) + borrow;
        borrow = a->words[i] < take ? 1 : 0;
        a->words[i] = (uint32_t)(a->words[i] - take);
    }
    while (a->count > 0 && a->words[a->count - 1] == 0) {
        --a->count;
    }
}

/// 64 bits of n / d, the first of them 1, times 2^*exponent; the last is set when more follow.
static uint64_t divide(Large* n, Large* d, int* exponent) {
    int shift = bitCount(d) - bitCount(n);
    shiftLeft(shift > 0 ? n : d, shift > 0 ? shift : -shift);
    if (compare(n, d) < 0) {
        shiftLeft(n, 1);
        ++shift;
    }
    *exponent = -shift - 63;
    uint64_t quotient = 0;
    for (int i = 0; i < 64; ++i) {
        quotient <<= 1;
        if (compare(n, d) >= 0) {
            subtract(n, d);
            quotient |= 1;
        }
        shiftLeft(n, 1);
    }
    return n->count > 0 ? quotient | 1 : quotient;
}

/// A quotient of 64 bits as a double, ties to even.
static bool assemble(uint64_t quotient, int exponent, double* out) {
    // the value is quotient * 2^exponent; doubles keep 53 bits, fewer below 2^-1022
    int drop = 11;
    int least = -1074 - exponent;
    drop = least > drop ? least : drop;
    uint64_t bits = 0;
    if (drop < 65) {
        uint64_t kept = drop < 64 ? quotient >> drop : 0;
        uint64_t rest = drop < 64 ? quotient << (64 - drop) : quotient;
        uint64_t half = 0x8000000000000000u;
        kept += rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0;
        int biased = exponent + drop + 1075;
        if (drop == 11 && (kept >> 53) != 0) {
            kept >>= 1;
            ++biased;
        }
        if (biased >= 2047) {
            return false;
        }
        // below 2^-1022 there is no leading 1 to leave out, and rounding up may make one
        bits = (kept >> 52) != 0 ? (uint64_t)biased << 52 | (kept & 0xFFFFFFFFFFFFFu) : kept;
    }
    memcpy(out, &bits, sizeof bits);
    return true;
}

// ---- reading -------------------------------------------------------------------------------

typedef struct Decimal {
    char digits[MAX_DIGITS + 1];
    int count;
    int exponent; ///< of the last digit
} Decimal;

static void addDigit(Decimal* d, char digit, bool isFraction) {
    if (d->count == 0 && digit == '0') {
        d->exponent -= isFraction;
    } else if (d->count < MAX_DIGITS) {
        d->digits[d->count++] = digit;
        d->exponent -= isFraction;
    } else {
        // too far behind to count, but more than nothing
        if (digit != '0') {
            d->digits[MAX_DIGITS - 1] = '1';
        }
        d->exponent += !isFraction;
    }
}

static Decimal split(const char* text, size_t length) {
    Decimal d = {.count = 0};
    size_t i = text[0] == '-' ? 1 : 0;
    bool isFraction = false;
    for (; i < length && (isDigit(text[i]) || text[i] == '.'); ++i) {
        if (text[i] == '.') {
            isFraction = true;
        } else {
            addDigit(&d, text[i], isFraction);
        }
    }
    if (i < length) {
        ++i;
        bool isNegative = text[i] == '-';
        i += text[i] == '-' || text[i] == '+';
        int exponent = 0;
        for (; i < length && exponent < 100000000; ++i) {
            exponent = 10 * exponent + (text[i] - '0');
        }
        d.exponent += isNegative ? -exponent : exponent;
    }
    return d;
}

static bool readQuotient(const Decimal* d, double* out) {
    Large n = {.count = 0}, q = {.words = {1}, .count = 1};
    for (int i = 0; i < d->count; ++i) {
        uint32_t digit = (uint32_t)(d->digits[i] - '0');
        if (n.count == 0) {
            n.words[0] = digit;
            n.count = 1;
        } else {
            scale(&n, 10u, digit);
        }
    }
    scaleByPowerOfTen(d->exponent > 0 ? &n : &q, d->exponent > 0 ? d->exponent : -d->exponent);
    int exponent;
    uint64_t quotient = divide(&n, &q, &exponent);
    return assemble(quotient, exponent, out);
}

bool sdNumber_Read(const char* text, size_t length, double* out) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    Decimal d = split(text, length);
    bool isNegative = text[0] == '-';
    double value = 0.0;
    int first = d.count + d.exponent; // the number is 0.ddd * 10^first
    if (d.count > 0 && first > MAX_EXPONENT) {
        return false;
    }
    if (d.count > 0 && first >= MIN_EXPONENT) {
        if (d.count <= 15 && d.exponent >= -22 && d.exponent <= 22) {
            uint64_t whole = 0;
            for (int i = 0; i < d.count; ++i) {
                whole = 10 * whole + (uint64_t)(d.digits[i] - '0');
            }
            value = d.exponent < 0 ? (double)whole / powers[-d.exponent]
                                   : (double)whole * powers[d.exponent];
        } else if (!readQuotient(&d, &value)) {
            return false;
        }
    }
    *out = isNegative ? -value : value;
    return true;
}

// ---- writing -------------------------------------------------------------------------------

/// Digits and signs as they are; what else there is, a locale's decimal point, becomes a point.
static void clean(char* text) {
    char* to = text;
    bool hasPoint = false;
    for (const char* from = text; *from != '\0'; ++from) {
        if (isDigit(*from) || *from == '-' || *from == '+' || *from == 'e') {
            *to++ = *from;
        } else if (!hasPoint) {
            *to++ = '.';
            hasPoint = true;
        }
    }
    *to = '\0';
}

void sdNumber_WriteFloat(float value, char* out) {
    for (int digits = 6; digits <= 9; ++digits) {
        double back;
        snprintf(out, SD_NUMBER_SIZE, "%.*g", digits, (double)value);
        clean(out);
        // not ==, which takes -0 for 0
        float narrow = sdNumber_Read(out, strlen(out), &back) ? (float)back : 0.0f;
        if (memcmp(&narrow, &value, sizeof value) == 0) {
            return;
        }
    }
}

void sdNumber_WriteDouble(double value, char* out) {
    for (int digits = 9; digits <= 17; digits += digits == 9 ? 6 : 1) {
        double back = 0.0;
        snprintf(out, SD_NUMBER_SIZE, "%.*g", digits, value);
        clean(out);
        if (sdNumber_Read(out, strlen(out), &back) && memcmp(&back, &value, sizeof value) == 0) {
            return;
        }
    }
}

double sdNumber_Round(double value, int digits) {
    char text[SD_NUMBER_SIZE];
    double rounded;
    snprintf(text, sizeof text, "%.*g", digits, value);
    clean(text);
    return sdNumber_Read(text, strlen(text), &rounded) ? rounded : value;
}
