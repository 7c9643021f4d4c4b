// SPDX-License-Identifier: MIT
// broadphase_image.c - see broadphase_image.h.
//
// Note: slots that came into use after the image was made stay in the pool of ids, as ones that
//       were never used: the next ids are the same, and the kind can still be told that their boxes
//       are gone.

#include "broadphase/broadphase_image.h"

#include "base/hash.h"

/// The first part; the one with the slots' boxes; it has as many items as there are slots.
#define PART_BOXES 0

static sdImagePart slotsOf(const char* name, void* items, int* capacity, int used, size_t size) {
    return (sdImagePart){
        .name = name, .items = items, .capacity = capacity, .used = used, .itemSize = (int)size};
}

int sdBroadphase_ListParts(sdBroadphase* broadphase, sdImageList* list) {
    sdBroadphase* bp = broadphase;
    int count = bp->ids.slotCount;
    int first = sdImageList_Add(
        list, slotsOf("boxes", &bp->boxes, &bp->boxCapacity, count, sizeof *bp->boxes));
    sdImageList_Add(
        list, slotsOf("proxies", &bp->proxies, &bp->proxyCapacity, count, sizeof *bp->proxies));
    sdImageList_Add(list, slotsOf("traits", &bp->traits, &bp->traitCapacity, count, 1));
    sdImageList_Add(list, slotsOf("loners", &bp->loners, &bp->lonerCapacity, count, 1));
    sdImageList_Add(list, slotsOf("fits", &bp->fits, &bp->fitCapacity, count, sizeof *bp->fits));
    SD_IMAGE_IDS(list, bp->ids);
    SD_IMAGE_VALUE(list, bp->leavingCount);
    SD_IMAGE_BITS(list, bp->touched);
    SD_IMAGE_VALUE(list, bp->touchedCount);
    SD_IMAGE_VALUE(list, bp->haveFiltersChanged);
    sdPartners* partners = &bp->partners;
    sdImageList_Add(list, (sdImagePart){.name = "partners",
                                        .items = &partners->lists,
                                        .capacity = &partners->listCapacity,
                                        .count = &partners->listCount,
                                        .used = partners->listCount,
                                        .itemSize = (int)sizeof *partners->lists});
    SD_IMAGE_ARRAY(list, partners->pool);
    SD_IMAGE_VALUE(list, partners->freeBlocks);
    SD_IMAGE_VALUE(list, bp->pairCount);
    SD_IMAGE_ARRAY(list, bp->newPairs);
    SD_IMAGE_ARRAY(list, bp->lostPairs);
    // of `changed` only the kind knows, and the rest is scratch memory of an update
    return first;
}

uint64_t sdBroadphase_HashSettings(const sdBroadphase* broadphase) {
    const sdBroadphaseDef* def = &broadphase->def;
    const float numbers[] = {def->margin, def->marginFraction, def->prediction,
                             (float)def->maxPairs};
    return sdHash_Words(numbers, sizeof numbers / sizeof numbers[0], 0);
}

static int slotsIn(const void* image, int firstPart) {
    return sdImage_Line(image, firstPart + PART_BOXES)->used;
}

bool sdBroadphase_ReserveImage(sdBroadphase* broadphase, const void* image, int firstPart) {
    const sdAllocator* allocator = &broadphase->context.allocator;
    int count = sdMaxI(slotsIn(image, firstPart), broadphase->ids.slotCount);
    // as many bits as any slot that there is room for may need
    return sdBitSet_Reserve(&broadphase->changed, allocator, count) &&
           sdBitSet_Reserve(&broadphase->changed, allocator, 64 * broadphase->touched.wordCount) &&
           sdPartners_ReserveSlots(&broadphase->partners, allocator, count);
}

static bool isSame(const sdAABB* a, const sdAABB* b) {
    return memcmp(a, b, sizeof *a) == 0;
}

void sdBroadphase_CompareImage(sdBroadphase* broadphase, const void* image, int firstPart) {
    sdBroadphase* bp = broadphase;
    const sdAABB* boxes = sdImage_Items(image, firstPart + PART_BOXES);
    int count = slotsIn(image, firstPart);
    const sdAABB none = sdAABB_Empty();
    for (int slot = 0; slot < sdMaxI(count, bp->ids.slotCount); ++slot) {
        const sdAABB* before = slot < bp->ids.slotCount ? bp->boxes + slot : &none;
        const sdAABB* after = slot < count ? boxes + slot : &none;
        if (!isSame(before, after) && !sdBitSet_Test(&bp->changed, slot)) {
            sdBitSet_Set(&bp->changed, slot);
            bp->changedCount += 1;
        }
    }
}

void sdBroadphase_FinishImage(sdBroadphase* broadphase, int slotCount) {
    sdBroadphase* bp = broadphase;
    for (int slot = bp->ids.slotCount; slot < slotCount; ++slot) {
        bp->boxes[slot] = sdAABB_Empty();
        bp->proxies[slot] = (sdProxy){0};
        bp->traits[slot] = 0;
        bp->loners[slot] = 0;
        bp->fits[slot] = (sdFit){0.0f, SD_NULL_PROXY};
        bp->ids.generations[slot] = 1;
    }
    for (int slot = bp->partners.listCount; slot < slotCount; ++slot) {
        bp->partners.lists[slot] = (sdPartnerList){0};
    }
    bp->partners.listCount = sdMaxI(bp->partners.listCount, slotCount);
    bp->ids.slotCount = sdMaxI(bp->ids.slotCount, slotCount);
}
