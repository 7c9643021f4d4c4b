// SPDX-License-Identifier: MIT
// fuzz_mjcf.c - MuJoCo's files as scenes.

#include "import_text.h"

static uint64_t run(const uint8_t* bytes, size_t size) {
    return FuzzImport_Run(CliImport_Mjcf, bytes, size);
}

static void addSeeds(FuzzSeeds* seeds) {
    FuzzSeeds_AddText(
        seeds, "<mujoco model='pendulum'><compiler angle='degree'/><option gravity='0 0 -9.81' "
               "timestep='0.005'/><worldbody><light pos='0 0 1'/><geom type='plane' size='0 0 "
               "1'/>\n<body name='arm' pos='0 0 2'><joint type='hinge' axis='0 1 0' range='-90 "
               "90' damping='0.1'/><geom type='capsule' fromto='0 0 0 0.5 0 0' size='0.04'/>\n"
               "<body name='tip' pos='0.5 0 0'><joint type='ball'/><geom type='box' size='0.1 "
               "0.1 0.1' density='500'/></body></body>\n<body name='ball' pos='1 0 1'><freejoint/>"
               "<geom size='0.2' friction='1 0.005 0.0001'/></body></worldbody></mujoco>");
    FuzzSeeds_AddText(
        seeds, "<mujoco><default><geom type='box' size='1 1 1' friction='0.3'/><default "
               "class='small'><geom size='0.1 0.1 0.1' mass='2'/></default></default>\n<worldbody>"
               "<body name='a' childclass='small'><freejoint/><geom/></body><body name='b' pos='0 "
               "0 5' euler='10 20 30'><joint type='slide' axis='1 0 0'/><inertial pos='0 0 0' "
               "mass='1' diaginertia='1 1 1'/><geom class='small' type='ellipsoid'/></body>"
               "</worldbody></mujoco>");
    FuzzSeeds_AddText(seeds,
                      "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/>"
                      "</asset><worldbody><geom type='mesh' mesh='m' quat='1 0 0 1'/>"
                      "<body axisangle='0 0 1 90'><geom type='cylinder' size='1 2'/></body>"
                      "</worldbody><contact><exclude body1='a' body2='b'/></contact></mujoco>");
}

static const char* const words[] = {
    "<body",     "</body>",  "<geom",  "<joint",   "pos=\"",   "quat=\"",   "euler=\"",  "size=\"",
    "type=\"",   "class=\"", "mesh",   "hfield",   "capsule",  "ellipsoid", "1e39",      "nan",
    "0",         "-1",       "&lt;",   "<default", "<include", "<!DOCTYPE", "fromto=\"", "<site",
    "xyaxes=\"", "zaxis=\"", "ref=\"", "mass=\"",  "/>",       NULL};

const FuzzTarget fuzzTarget = {"mjcf", run, addSeeds, 4096, words};
