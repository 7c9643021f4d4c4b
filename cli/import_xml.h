// SPDX-License-Identifier: MIT
// import_xml.h - what importers of XML share, over libxml2.

#ifndef SD_CLI_IMPORT_XML_H
#define SD_CLI_IMPORT_XML_H

#include "import.h"

#include <libxml/parser.h>
#include <libxml/tree.h>

/// Read the file; its root must have a given name.
xmlDoc* CliXml_Read(CliImport* import, const char* root);

/// The first element of a name inside of another; NULL: none.
xmlNode* CliXml_Child(const xmlNode* node, const char* name);
bool CliXml_Is(const xmlNode* node, const char* name);
/// The value of an attribute; NULL: none. To be freed by xmlFree.
char* CliXml_Attribute(const xmlNode* node, const char* name);
/// A copy into an array; empty when there is none.
/// @return whether there was one
bool CliXml_Word(const xmlNode* node, const char* name, char* out, size_t size);
/// Numbers of an attribute, which stay as they are when it is not there.
/// @return how many were read, 0 when it is not there; -1 after a fault
int CliXml_Numbers(CliImport* import, const xmlNode* node, const char* name, double* out,
                   int capacity);
/// Just `count` of them.
bool CliXml_Exact(CliImport* import, const xmlNode* node, const char* name, double* out, int count);

/// Note elements and attributes that are not in a list of names, as ignored.
/// @param known ended by NULL
void CliXml_NoteOthers(CliImport* import, const xmlNode* node, const char* const* elements,
                       const char* const* attributes);

#endif
