// SPDX-License-Identifier: MIT
// raii.cpp - the library from C++17: handles that free themselves, errors as exceptions.
//
// Five rings fall over a post; each knows that it has a hole. It is also a test: it returns 1 when
// one of them is not around the post in the end.

#include <sudar/sudar.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

/// Meshes, fields and the like are counted: one function frees each kind.
template <auto Free> struct Freed {
    template <class T> void operator()(T* object) const {
        Free(object);
    }
};
using World = std::unique_ptr<sdWorld, Freed<sdWorld_Destroy>>;
using Mesh = std::unique_ptr<sdMesh, Freed<sdMesh_Release>>;
using Concave = std::unique_ptr<sdConcave, Freed<sdConcave_Release>>;

void check(sdResult result, const char* what) {
    if (result != SD_OK) {
        throw std::runtime_error(std::string(what) + ": " + sdResult_Text(result));
    }
}

World makeWorld() {
    sdWorldDef def = sdWorldDef_Default();
    sdWorld* world = nullptr;
    check(sdWorld_Create(nullptr, &def, &world), "world");
    return World(world);
}

/// A mesh that may move, with the field of distances that all its copies share.
Concave makeConcave(sdModelKind kind, float size) {
    sdMesh* mesh = nullptr;
    check(sdModel_Create(nullptr, kind, size, &mesh), "model");
    Mesh owner(mesh);
    sdConcaveDef def = sdConcaveDef_Default();
    sdConcave* concave = nullptr;
    check(sdConcave_Create(nullptr, mesh, &def, &concave), "concave");
    return Concave(concave);
}

sdBodyId addBody(sdWorld* world, sdBodyType type, sdPos position, sdShape shape) {
    sdBodyDef def = sdBodyDef_Default();
    def.type = type;
    def.position = position;
    sdBodyId body{};
    check(sdBody_Create(world, &def, &body), "body");
    sdShapeDef shapeDef = sdShapeDef_Default(shape);
    sdShapeId added{};
    check(sdBody_AddShape(world, body, &shapeDef, &added), "shape");
    return body;
}

int dropRings() {
    const int count = 5;
    World world = makeWorld();
    Concave ring = makeConcave(SD_MODEL_RING, 1.0f);
    addBody(world.get(), SD_BODY_STATIC, {0.0, 0.0, 0.0}, sdShape_HalfSpace());
    addBody(world.get(), SD_BODY_STATIC, {0.0, 2.0, 0.0}, sdShape_Cylinder(2.0f, 0.15f));
    sdBodyId rings[count];
    for (int i = 0; i < count; ++i) {
        rings[i] = addBody(world.get(), SD_BODY_DYNAMIC, {0.05, 1.0 + 0.6 * i, 0.0},
                           sdShape_Concave(ring.get()));
    }
    for (int i = 0; i < 300; ++i) {
        check(sdWorld_Step(world.get(), 1.0f / 60.0f), "step");
    }
    int around = 0;
    for (sdBodyId body : rings) {
        sdPos p = sdBody_GetTransform(world.get(), body).p;
        around += p.x * p.x + p.z * p.z < 0.25 && p.y > 0.0 && p.y < 2.0;
    }
    std::printf("%d of %d rings lie around the post.\n", around, count);
    return around == count ? 0 : 1;
}

} // namespace

int main() {
    try {
        return dropRings();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
