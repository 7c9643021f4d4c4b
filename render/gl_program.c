// SPDX-License-Identifier: MIT
// gl_program.c - the programs that run for every vertex and pixel.
//
// In:   a kind of program. Out: the linked program.
// Note: colours are squared on the way in and rooted on the way out, which is near enough to sRGB
//       for light to add up as light does. Positions are relative to the eye everywhere.

#include "gl.h"

#include "support.h"

#include <stdio.h>

#define MAX_LOG 800

// what several programs share
static const char* const header = "#version 300 es\n"
                                  "precision highp float;\n"
                                  "precision highp sampler2DShadow;\n";

/// The light of the sky from a direction; fog takes it, too.
static const char* const skyText =
    "vec3 sky(vec3 d) {\n"
    "    const vec3 horizon = vec3(0.80, 0.845, 0.89);\n"
    "    const vec3 zenith = vec3(0.33, 0.47, 0.66);\n"
    "    const vec3 nadir = vec3(0.56, 0.59, 0.63);\n"
    "    return d.y > 0.0 ? mix(horizon, zenith, sqrt(min(1.4 * d.y, 1.0)) * d.y + 0.3 * d.y)\n"
    "                     : mix(horizon, nadir, min(-2.0 * d.y, 1.0));\n"
    "}\n";

/// Where a vertex of an instance is: a scaled core and a ball rolled over it.
static const char* const instanceText = "layout(location = 0) in vec3 core;\n"
                                        "layout(location = 1) in vec3 normal;\n"
                                        "layout(location = 2) in float edge;\n"
                                        "layout(location = 3) in vec4 rotation;\n"
                                        "layout(location = 4) in vec4 place;\n" // position, radius
                                        "layout(location = 5) in vec4 scale;\n" // scale, surface
                                        "layout(location = 6) in vec4 color;\n"
                                        "uniform mat4 clipFromEye;\n"
                                        "vec3 rotate(vec3 v) {\n"
                                        "    vec3 t = 2.0 * cross(rotation.xyz, v);\n"
                                        "    return v + rotation.w * t + cross(rotation.xyz, t);\n"
                                        "}\n"
                                        "vec3 localPosition() {\n"
                                        "    return core * scale.xyz + place.w * normal;\n"
                                        "}\n";

static const char* const skyVertex =
    "uniform vec3 corner, right, up;\n"
    "out vec3 direction;\n"
    "void main() {\n"
    "    vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0;\n"
    "    direction = corner + p.x * right + p.y * up;\n"
    "    gl_Position = vec4(p, 0.0, 1.0);\n"
    "}\n";

static const char* const skyFragment = "in vec3 direction;\n"
                                       "out vec4 result;\n"
                                       "void main() {\n"
                                       "    result = vec4(sqrt(sky(normalize(direction))), 1.0);\n"
                                       "}\n";

static const char* const shadowVertex = "void main() {\n"
                                        "    vec3 p = place.xyz + rotate(localPosition());\n"
                                        "    gl_Position = clipFromEye * vec4(p, 1.0);\n"
                                        "}\n";

static const char* const shadowFragment = "void main() {}\n";

/// Bodies and floors: the light on them. Floors are asked for their pattern, bodies for their
/// edges; they are two programs, because a software driver goes both ways of every branch.
static const char* const lightText =
    "uniform mat4 shadowFromEye;\n"
    "uniform sampler2DShadow shadowMap;\n"
    "uniform vec3 light;\n"        // unit, towards it
    "uniform float shadowTexel;\n" // m; 0: no shadows
    "\n"
    "float lit(vec3 p, vec3 n, float slope) {\n"
    // stepping off the surface keeps it from shading itself; more so where light grazes it
    "    p += n * shadowTexel * (2.8 - 2.2 * slope);\n"
    "    vec3 q = (shadowFromEye * vec4(p, 1.0)).xyz;\n"
    "    q.z = min(q.z, 1.0);\n"
    "    vec2 t = vec2(1.0) / vec2(textureSize(shadowMap, 0));\n"
    "    float sum = texture(shadowMap, vec3(q.xy + vec2(-0.4, -1.1) * t, q.z));\n"
    "    sum += texture(shadowMap, vec3(q.xy + vec2(1.1, -0.4) * t, q.z));\n"
    "    sum += texture(shadowMap, vec3(q.xy + vec2(0.4, 1.1) * t, q.z));\n"
    "    sum += texture(shadowMap, vec3(q.xy + vec2(-1.1, 0.4) * t, q.z));\n"
    // the map ends somewhere; without one, all is lit
    "    bool isOut = any(greaterThan(abs(q.xy - 0.5), vec2(0.498))) || shadowTexel == 0.0;\n"
    "    return isOut ? 1.0 : 0.25 * sum;\n"
    "}\n"
    "\n"
    "vec3 shine(vec3 base, vec3 p, vec3 n, vec3 view, float gloss) {\n"
    "    float sun = max(dot(n, light), 0.0);\n"
    "    float direct = sun * lit(p, n, sun);\n"
    "    vec3 ambient = mix(vec3(0.17, 0.16, 0.16), vec3(0.36, 0.39, 0.44), 0.5 + 0.5 * n.y);\n"
    // a weak light from the eye gives form to what is in the shade
    "    ambient += vec3(0.10) * max(dot(n, view), 0.0);\n"
    "    float glint = max(dot(n, normalize(view + light)), 0.0);\n"
    "    glint *= glint; glint *= glint; glint *= glint; glint *= glint; glint *= glint;\n"
    "    return base * (ambient + direct * vec3(0.80, 0.76, 0.70)) + gloss * glint * direct;\n"
    "}\n";

static const char* const bodyVertex =
    "uniform float pixel;\n"    // slope of a pixel
    "uniform float fogStart;\n" // m
    "out vec3 position, normalOut, local;\n"
    "flat out vec4 albedo;\n"
    "flat out vec4 size;\n"
    "flat out float clear;\n"
    "void main() {\n"
    "    vec3 p = localPosition();\n"
    "    position = place.xyz + rotate(p);\n"
    // a ball's normals stay, a scaled core's lean the other way
    "    vec3 n = place.w > 0.0 ? normal : normalize(normal / scale.xyz);\n"
    "    normalOut = rotate(n);\n"
    "    albedo = vec4(color.rgb * color.rgb, color.a);\n"
    // |size - |local||: one is zero, the next the distance to an edge
    "    float range = length(place.xyz);\n"
    "    float extent = max(scale.x, max(scale.y, scale.z));\n"
    // small things would be all edge
    "    float small = clamp(0.12 * extent / (pixel * range), 0.0, 1.0);\n"
    "    int surface = int(scale.w + 0.5);\n"
    "    size = vec4(surface == 1 ? scale.xyz : vec3(0.0, 0.0, 1e30),\n"
    "                0.42 * (surface == 1 ? small : 1.0));\n"
    "    local = surface == 1 ? p : vec3(0.0, surface == 2 ? edge : 1e30, 0.0);\n"
    "    clear = fogStart / max(range, fogStart);\n"
    "    gl_Position = clipFromEye * vec4(position, 1.0);\n"
    "}\n";

static const char* const bodyFragment =
    "in vec3 position, normalOut, local;\n"
    "flat in vec4 albedo;\n"
    "flat in vec4 size;\n"
    "flat in float clear;\n"
    "uniform float pixel;\n"
    "out vec4 result;\n"
    "void main() {\n"
    "    float range = length(position);\n"
    "    vec3 view = -position / range;\n"
    "    vec3 n = normalize(normalOut);\n"
    "    n = gl_FrontFacing ? n : -n;\n"
    "    vec3 d = abs(size.xyz - abs(local));\n"
    "    float next = max(min(d.x, d.y), min(max(d.x, d.y), d.z));\n"
    "    float line = 1.0 - smoothstep(0.5, 1.7, next / (pixel * range));\n"
    "    vec3 c = shine(albedo.rgb * (1.0 - size.w * line), position, n, view, 0.10);\n"
    "    c = mix(vec3(0.80, 0.845, 0.89), c, clear * clear);\n"
    "    result = vec4(sqrt(c), albedo.a);\n"
    "}\n";

/// Glass has edges and a slight shade, and no light of its own: there may be several layers of it.
static const char* const glassFragment =
    "in vec3 position, normalOut, local;\n"
    "flat in vec4 albedo;\n"
    "flat in vec4 size;\n"
    "uniform float pixel;\n"
    "out vec4 result;\n"
    "void main() {\n"
    "    vec3 d = abs(size.xyz - abs(local));\n"
    "    float next = max(min(d.x, d.y), min(max(d.x, d.y), d.z));\n"
    "    float line = 1.0 - smoothstep(0.5, 1.7, next / (pixel * length(position)));\n"
    "    vec3 c = albedo.rgb * (0.85 + 0.15 * normalOut.y) * (1.0 - size.w * line);\n"
    "    result = vec4(sqrt(c), albedo.a * (1.0 + 2.0 * line));\n"
    "}\n";

static const char* const floorVertex = "out vec3 position, local;\n"
                                       "flat out vec3 normalOut;\n"
                                       "flat out vec3 localNormal;\n"
                                       "flat out vec4 albedo;\n"
                                       "void main() {\n"
                                       "    local = localPosition();\n"
                                       "    localNormal = abs(normal);\n"
                                       "    position = place.xyz + rotate(local);\n"
                                       "    normalOut = rotate(normal);\n"
                                       "    albedo = vec4(color.rgb * color.rgb, color.a);\n"
                                       "    gl_Position = clipFromEye * vec4(position, 1.0);\n"
                                       "}\n";

static const char* const floorFragment =
    "in vec3 position, local;\n"
    "flat in vec3 normalOut;\n"
    "flat in vec3 localNormal;\n"
    "flat in vec4 albedo;\n"
    "uniform float gridCell;\n" // m
    "uniform float fogStart;\n" // m
    "out vec4 result;\n"
    "\n"
    // squares, each pixel the mean over its footprint: no moire in the distance
    "float squares(vec2 p, vec2 w) {\n"
    "    vec2 i = 2.0 * (abs(fract(0.5 * (p - 0.5 * w)) - 0.5) -\n"
    "                    abs(fract(0.5 * (p + 0.5 * w)) - 0.5)) / w;\n"
    "    return 0.5 - 0.5 * i.x * i.y;\n"
    "}\n"
    "\n"
    "float lines(vec2 p, vec2 w) {\n"
    "    vec2 d = abs(fract(p + 0.5) - 0.5) / w;\n"
    "    float line = 1.0 - clamp(min(d.x, d.y), 0.0, 1.0);\n"
    "    return line * clamp(0.25 / max(w.x, w.y), 0.0, 1.0);\n"
    "}\n"
    "\n"
    "void main() {\n"
    "    float range = length(position);\n"
    "    vec3 view = -position / range;\n"
    "    vec3 g = local / gridCell;\n"
    "    vec2 p = localNormal.y > 0.5 ? g.xz : (localNormal.x > 0.5 ? g.yz : g.xy);\n"
    "    vec2 w = max(fwidth(p), vec2(1e-4));\n"
    "    vec3 base = albedo.rgb * (1.0 - 0.09 * squares(p, w)) * (1.0 - 0.22 * lines(p, w));\n"
    "    vec3 c = shine(base, position, normalOut, view, 0.0);\n"
    "    float clear = fogStart / max(range, fogStart);\n"
    "    result = vec4(sqrt(mix(sky(-view), c, clear * clear)), albedo.a);\n"
    "}\n";

static const char* const overlayVertex = "layout(location = 0) in vec3 core;\n"
                                         "layout(location = 6) in vec4 color;\n"
                                         "uniform mat4 clipFromEye;\n"
                                         "uniform float pointSize;\n"
                                         "flat out vec4 shade;\n"
                                         "void main() {\n"
                                         "    shade = color;\n"
                                         "    gl_PointSize = pointSize;\n"
                                         "    gl_Position = clipFromEye * vec4(core, 1.0);\n"
                                         "}\n";

static const char* const overlayFragment =
    "flat in vec4 shade;\n"
    "uniform bool isPoint;\n"
    "out vec4 result;\n"
    "void main() {\n"
    "    vec2 p = 2.0 * gl_PointCoord - 1.0;\n"
    "    float r = isPoint ? dot(p, p) : 0.0;\n"
    "    if (r > 1.0) {\n"
    "        discard;\n"
    "    }\n"
    "    result = r > 0.5 ? vec4(0.1, 0.1, 0.12, 1.0) : shade;\n"
    "}\n";

typedef struct ProgramText {
    const char *vertexParts, *vertex;
    const char *fragmentParts[2], *fragment;
} ProgramText;

static const ProgramText* getText(sdProgramKind kind) {
    static const ProgramText texts[SD_PROGRAM_COUNT] = {
        [SD_PROGRAM_SKY] = {"", skyVertex, {skyText, ""}, skyFragment},
        [SD_PROGRAM_SHADOW] = {instanceText, shadowVertex, {"", ""}, shadowFragment},
        [SD_PROGRAM_BODY] = {instanceText, bodyVertex, {"", lightText}, bodyFragment},
        [SD_PROGRAM_GLASS] = {instanceText, bodyVertex, {"", ""}, glassFragment},
        [SD_PROGRAM_FLOOR] = {instanceText, floorVertex, {skyText, lightText}, floorFragment},
        [SD_PROGRAM_OVERLAY] = {"", overlayVertex, {"", ""}, overlayFragment},
    };
    return &texts[kind];
}

static GLuint compile(const sdContext* context, GLenum type, const char* const parts[4]) {
    GLuint shader = glCreateShader(type);
    glShaderSource(shader, 4, parts, NULL);
    glCompileShader(shader);
    GLint ok = GL_FALSE;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (!ok) {
        char text[MAX_LOG] = "";
        glGetShaderInfoLog(shader, MAX_LOG, NULL, text);
        sdRender_Fail(context, SD_ERROR_IO, "sdRenderer_Create: the driver refuses a shader: %s",
                      text);
        glDeleteShader(shader);
        return 0;
    }
    return shader;
}

sdResult sdProgram_Create(const sdContext* context, sdProgramKind kind, GLuint* program) {
    *program = 0;
    const ProgramText* t = getText(kind);
    const char* vertexTexts[4] = {header, "", t->vertexParts, t->vertex};
    const char* fragmentTexts[4] = {header, t->fragmentParts[0], t->fragmentParts[1], t->fragment};
    GLuint vertex = compile(context, GL_VERTEX_SHADER, vertexTexts);
    GLuint fragment = compile(context, GL_FRAGMENT_SHADER, fragmentTexts);
    sdResult result = SD_ERROR_IO;
    if (vertex != 0 && fragment != 0) {
        GLuint made = glCreateProgram();
        glAttachShader(made, vertex);
        glAttachShader(made, fragment);
        glLinkProgram(made);
        GLint ok = GL_FALSE;
        glGetProgramiv(made, GL_LINK_STATUS, &ok);
        if (ok) {
            *program = made;
            result = SD_OK;
        } else {
            char text[MAX_LOG] = "";
            glGetProgramInfoLog(made, MAX_LOG, NULL, text);
            sdRender_Fail(context, SD_ERROR_IO,
                          "sdRenderer_Create: the driver refuses a program: %s", text);
            glDeleteProgram(made);
        }
    }
    // they live on in the program
    glDeleteShader(vertex);
    glDeleteShader(fragment);
    return result;
}
