// SPDX-License-Identifier: MIT
// import_xml.c - see import_xml.h.

#include "import_xml.h"

#include <string.h>

xmlDoc* CliXml_Read(CliImport* import, const char* root) {
    // no network, no entities from elsewhere, no words on stderr
    xmlDoc* doc =
        xmlReadFile(import->path, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    if (doc == NULL) {
        const xmlError* error = xmlGetLastError();
        char text[200] = "it cannot be read";
        if (error != NULL && error->message != NULL) {
            snprintf(text, sizeof text, "%s", error->message);
            text[strcspn(text, "\n")] = '\0';
        }
        CliImport_Fail(import, error != NULL ? error->line : 0, "not XML: %s", text);
        return NULL;
    }
    xmlNode* node = xmlDocGetRootElement(doc);
    if (node == NULL || !CliXml_Is(node, root)) {
        CliImport_Fail(import, 1, "the file begins with <%s>, not with <%s>",
                       node != NULL ? (const char*)node->name : "nothing", root);
        xmlFreeDoc(doc);
        return NULL;
    }
    return doc;
}

bool CliXml_Is(const xmlNode* node, const char* name) {
    return node->type == XML_ELEMENT_NODE && strcmp((const char*)node->name, name) == 0;
}

xmlNode* CliXml_Child(const xmlNode* node, const char* name) {
    for (xmlNode* child = node != NULL ? node->children : NULL; child != NULL;
         child = child->next) {
        if (CliXml_Is(child, name)) {
            return child;
        }
    }
    return NULL;
}

char* CliXml_Attribute(const xmlNode* node, const char* name) {
    return node != NULL ? (char*)xmlGetProp(node, (const xmlChar*)name) : NULL;
}

bool CliXml_Word(const xmlNode* node, const char* name, char* out, size_t size) {
    char* text = CliXml_Attribute(node, name);
    snprintf(out, size, "%s", text != NULL ? text : "");
    bool isThere = text != NULL;
    xmlFree(text);
    return isThere;
}

int CliXml_Numbers(CliImport* import, const xmlNode* node, const char* name, double* out,
                   int capacity) {
    char* text = CliXml_Attribute(node, name);
    int count = 0;
    if (text != NULL) {
        count = CliImport_Numbers(text, out, capacity);
        if (count < 0) {
            CliImport_Fail(import, (int)xmlGetLineNo(node), "<%s %s=\"%s\">: numbers are wanted",
                           (const char*)node->name, name, text);
        }
    }
    xmlFree(text);
    return count;
}

bool CliXml_Exact(CliImport* import, const xmlNode* node, const char* name, double* out,
                  int count) {
    int got = CliXml_Numbers(import, node, name, out, count);
    return got == 0 || got == count ||
           CliImport_Fail(import, (int)xmlGetLineNo(node), "<%s %s>: %d numbers are wanted",
                          (const char*)node->name, name, count);
}

static bool isListed(const char* name, const char* const* list) {
    for (; list != NULL && *list != NULL; ++list) {
        if (strcmp(*list, name) == 0) {
            return true;
        }
    }
    return false;
}

void CliXml_NoteOthers(CliImport* import, const xmlNode* node, const char* const* elements,
                       const char* const* attributes) {
    for (const xmlNode* child = node->children; child != NULL; child = child->next) {
        if (child->type == XML_ELEMENT_NODE && !isListed((const char*)child->name, elements)) {
            CliImport_Note(import, (int)xmlGetLineNo(child), "ignored: <%s> in <%s>",
                           (const char*)child->name, (const char*)node->name);
        }
    }
    for (const xmlAttr* a = node->properties; a != NULL; a = a->next) {
        if (!isListed((const char*)a->name, attributes)) {
            CliImport_Note(import, (int)xmlGetLineNo(node), "ignored: %s of <%s>",
                           (const char*)a->name, (const char*)node->name);
        }
    }
}
