// SPDX-License-Identifier: MIT
// number.h - decimal numbers, read and written so that nothing is lost, whatever the locale.

#ifndef SD_SCENEFILE_NUMBER_H
#define SD_SCENEFILE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/// Room for any number that is written, the end included.
#define SD_NUMBER_SIZE 32

/// Characters at `text` that are a number as JSON has it: -12.5e-3; 0: none.
size_t sdNumber_Scan(const char* text, size_t length);

/// The double nearest to a number, ties to even.
/// @param text as sdNumber_Scan accepts it, all of `length`
/// @return false when it is beyond the largest double
bool sdNumber_Read(const char* text, size_t length, double* out);

/// The fewest digits that are read back as the same bits. Values must be finite.
/// @param out room for SD_NUMBER_SIZE
void sdNumber_WriteFloat(float value, char* out);
void sdNumber_WriteDouble(double value, char* out);

/// The nearest number with so many digits, at most 17.
double sdNumber_Round(double value, int digits);

#endif
