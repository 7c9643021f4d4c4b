// SPDX-License-Identifier: MIT
// fuzz_urdf.c - URDF files as scenes.

#include "import_text.h"

static uint64_t run(const uint8_t* bytes, size_t size) {
    return FuzzImport_Run(CliImport_Urdf, bytes, size);
}

static void addSeeds(FuzzSeeds* seeds) {
    FuzzSeeds_AddText(
        seeds,
        "<robot name='arm'><link name='base'><collision><geometry><box size='0.4 0.4 0.2'/>"
        "</geometry></collision></link>\n<link name='upper'><inertial><origin xyz='0 0 0.25' "
        "rpy='0.1 0 0'/><mass value='2'/><inertia ixx='0.05' iyy='0.05' izz='0.01' "
        "ixy='0' ixz='0' iyz='0'/></inertial><collision><origin xyz='0 0 0.25'/><geometry>"
        "<cylinder radius='0.05' length='0.5'/></geometry></collision></link>\n"
        "<joint name='shoulder' type='revolute'><parent link='base'/><child link='upper'/>"
        "<origin xyz='0 0 0.15'/><axis xyz='0 1 0'/><limit lower='-1' upper='1.5'/>"
        "</joint></robot>");
    FuzzSeeds_AddText(
        seeds,
        "<?xml version='1.0'?>\n<robot><link name='a'><collision><geometry><sphere "
        "radius='1'/></geometry></collision></link><link name='b'><collision><geometry><mesh "
        "filename='package://x/y.stl' scale='1 1 2'/></geometry></collision></link><joint "
        "name='j' type='prismatic'><parent link='a'/><child link='b'/><axis xyz='1 0 "
        "0'/><limit lower='0' upper='1'/></joint></robot>");
    FuzzSeeds_AddText(seeds, "<robot><link name='a'/><link name='b'/><link name='c'/>"
                             "<joint type='fixed'><parent link='a'/><child link='b'/></joint>"
                             "<joint type='floating'><parent link='b'/><child link='c'/>"
                             "</joint></robot>");
}

static const char* const words[] = {
    "<link",     "</link>",  "<joint", "</joint>", "name=\"", "type=\"", "continuous",
    "planar",    "fixed",    "<mimic", "<limit",   "<axis",   "xyz=\"",  "1e39",
    "nan",       "inf",      "-1",     "0 0 0",    "&amp;",   "<!--",    "<![CDATA[",
    "<!DOCTYPE", "<!ENTITY", "&#0;",   "<visual>", "/>",      NULL};

const FuzzTarget fuzzTarget = {"urdf", run, addSeeds, 4096, words};
