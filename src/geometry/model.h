// SPDX-License-Identifier: MIT
// model.h - the models, each in its own proportions; model.c gives them their place and size.

#ifndef SD_GEOMETRY_MODEL_H
#define SD_GEOMETRY_MODEL_H

#include "geometry/model_builder.h"

void sdModel_AddBox(sdModelBuilder* builder);
void sdModel_AddSphere(sdModelBuilder* builder);
void sdModel_AddTorus(sdModelBuilder* builder);
void sdModel_AddRing(sdModelBuilder* builder);
void sdModel_AddPost(sdModelBuilder* builder);
void sdModel_AddSkull(sdModelBuilder* builder);
void sdModel_AddBone(sdModelBuilder* builder);
void sdModel_AddBolt(sdModelBuilder* builder);
void sdModel_AddNut(sdModelBuilder* builder);
void sdModel_AddChainLink(sdModelBuilder* builder);
void sdModel_AddStar(sdModelBuilder* builder);
void sdModel_AddBowl(sdModelBuilder* builder);
void sdModel_AddTetrapod(sdModelBuilder* builder);

#endif
