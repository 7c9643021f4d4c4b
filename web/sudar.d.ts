// SPDX-License-Identifier: MIT
// Written by declare.mjs from the same table as the engine itself: change api.inc, not this file.
// What the functions do is told by the C headers of the same names.

export class SudarError extends Error {
    readonly result: string;
}

export interface LoadOptions {
    log?: (level: LogLevel, text: string) => void;
    /** 1 unless given; 0: one a processor. Where threads cannot be there is one. */
    threads?: number;
}

/** sudar.wasm is looked for beside sudar.js unless it is given. */
export function load(source?: BufferSource | WebAssembly.Module | string | URL, options?: LoadOptions): Promise<Sudar>;

export type Result = 'ok' | 'error-invalid-argument' | 'error-out-of-memory' | 'error-degenerate' | 'error-bad-mesh' | 'error-bad-file' | 'error-version' | 'error-limit' | 'error-stale-id' | 'error-io' | 'error-locked';
export type ExplainMethod = 'gjk' | 'epa' | 'sat' | 'vclip';
export type LogLevel = 'info' | 'warning' | 'error';
export type ShapeType = 'sphere' | 'capsule' | 'box' | 'cylinder' | 'cone' | 'triangle' | 'hull' | 'half-space' | 'mesh' | 'compound';
export type HullMethod = 'quick' | 'incremental';
export type ModelKind = 'box' | 'sphere' | 'torus' | 'ring' | 'post' | 'skull' | 'bone' | 'bolt' | 'nut' | 'chain-link' | 'star' | 'bowl' | 'tetrapod';
export type FieldSign = 'auto' | 'pseudo-normal' | 'parity' | 'winding';
export type FieldLayout = 'sparse' | 'dense';
export type ConcaveRoute = 'auto' | 'field' | 'triangles';
export type BroadphaseKind = 'tree' | 'octree' | 'sap' | 'brute' | 'all-pairs';
export type TreeBuilder = 'hilbert' | 'morton' | 'top-down' | 'bottom-up' | 'insertion';
export type Integrator = 'semi-implicit' | 'explicit-euler' | 'rk4';
export type Combine = 'geometric-mean' | 'average' | 'minimum' | 'maximum' | 'product';
export type Solver = 'soft' | 'impulse';
export type Narrowphase = 'auto' | 'gjk' | 'sat' | 'vclip';
export type ImpulseOrder = 'new' | 'ordinary';
export type ImpulseDetection = 'pass' | 'impulse';
export type ImpulseMotion = 'together' | 'one-by-one';
export type ImpulseJointing = 'together' | 'one-by-one';
export type BodyType = 'static' | 'kinematic' | 'dynamic';
export type PointState = 'new' | 'kept';
export type JointType = 'ball' | 'hinge' | 'slider' | 'fixed' | 'distance' | 'motor' | 'six';
export type Axis = 'move-x' | 'move-y' | 'move-z' | 'turn-x' | 'turn-y' | 'turn-z';
export type AxisMode = 'free' | 'limited' | 'locked';
export type DriveKind = 'none' | 'motor' | 'spring' | 'friction';

export interface Version {
    major: number;
    minor: number;
    patch: number;
}
export interface VersionFields {
    major?: number;
    minor?: number;
    patch?: number;
}
export type VersionInput = VersionFields | ArrayLike<number>;
export interface Vec3 {
    x: number;
    y: number;
    z: number;
}
export interface Vec3Fields {
    x?: number;
    y?: number;
    z?: number;
}
export type Vec3Input = Vec3Fields | ArrayLike<number>;
export interface Pos {
    x: number;
    y: number;
    z: number;
}
export interface PosFields {
    x?: number;
    y?: number;
    z?: number;
}
export type PosInput = PosFields | ArrayLike<number>;
export interface Quat {
    v: Vec3;
    s: number;
}
export interface QuatFields {
    v?: Vec3Input;
    s?: number;
}
export type QuatInput = QuatFields | ArrayLike<number>;
export interface Mat33 {
    cx: Vec3;
    cy: Vec3;
    cz: Vec3;
}
export interface Mat33Fields {
    cx?: Vec3Input;
    cy?: Vec3Input;
    cz?: Vec3Input;
}
export type Mat33Input = Mat33Fields | ArrayLike<number>;
export interface Transform {
    p: Vec3;
    q: Quat;
}
export interface TransformFields {
    p?: Vec3Input;
    q?: QuatInput;
}
export type TransformInput = TransformFields | ArrayLike<number>;
export interface WorldTransform {
    p: Pos;
    q: Quat;
}
export interface WorldTransformFields {
    p?: PosInput;
    q?: QuatInput;
}
export type WorldTransformInput = WorldTransformFields | ArrayLike<number>;
export interface AABB {
    lower: Vec3;
    upper: Vec3;
}
export interface AABBFields {
    lower?: Vec3Input;
    upper?: Vec3Input;
}
export type AABBInput = AABBFields | ArrayLike<number>;
export interface WorldBox {
    lower: Pos;
    upper: Pos;
}
export interface WorldBoxFields {
    lower?: PosInput;
    upper?: PosInput;
}
export type WorldBoxInput = WorldBoxFields | ArrayLike<number>;
export interface MassProps {
    mass: number;
    center: Vec3;
    inertia: Mat33;
}
export interface MassPropsFields {
    mass?: number;
    center?: Vec3Input;
    inertia?: Mat33Input;
}
export type MassPropsInput = MassPropsFields | ArrayLike<number>;
export interface MeshData {
    vertices: Float32Array;
    triangles: Int32Array;
}
export interface MeshDataInput {
    vertices?: ArrayLike<number> | readonly Vec3Input[];
    triangles?: ArrayLike<number>;
}
export interface MeshDef {
    data: MeshData;
    repairs: number;
    weldDistance: number;
}
export interface MeshDefInput {
    data?: MeshDataInput;
    repairs?: number;
    weldDistance?: number;
}
export interface MeshReport {
    vertexCount: number;
    triangleCount: number;
    edgeCount: number;
    componentCount: number;
    genus: number;
    boundaryEdgeCount: number;
    nonManifoldEdgeCount: number;
    nonManifoldVertexCount: number;
    misorientedEdgeCount: number;
    degenerateTriangleCount: number;
    duplicateTriangleCount: number;
    selfIntersectionCount: number;
    invertedComponentCount: number;
    nestedComponentCount: number;
    unusedVertexCount: number;
    area: number;
    volume: number;
    isClosed: boolean;
    isManifold: boolean;
    isOriented: boolean;
    isSolid: boolean;
    weldedVertexCount: number;
    droppedVertexCount: number;
    droppedDegenerateCount: number;
    droppedDuplicateCount: number;
    flippedTriangleCount: number;
}
export interface MeshReportInput {
    vertexCount?: number;
    triangleCount?: number;
    edgeCount?: number;
    componentCount?: number;
    genus?: number;
    boundaryEdgeCount?: number;
    nonManifoldEdgeCount?: number;
    nonManifoldVertexCount?: number;
    misorientedEdgeCount?: number;
    degenerateTriangleCount?: number;
    duplicateTriangleCount?: number;
    selfIntersectionCount?: number;
    invertedComponentCount?: number;
    nestedComponentCount?: number;
    unusedVertexCount?: number;
    area?: number;
    volume?: number;
    isClosed?: boolean;
    isManifold?: boolean;
    isOriented?: boolean;
    isSolid?: boolean;
    weldedVertexCount?: number;
    droppedVertexCount?: number;
    droppedDegenerateCount?: number;
    droppedDuplicateCount?: number;
    flippedTriangleCount?: number;
}
export interface HullDef {
    points: Float32Array;
    method: HullMethod;
    maxVertexCount: number;
}
export interface HullDefInput {
    points?: ArrayLike<number> | readonly Vec3Input[];
    method?: HullMethod;
    maxVertexCount?: number;
}
export interface Sphere {
    radius: number;
}
export interface SphereFields {
    radius?: number;
}
export type SphereInput = SphereFields | ArrayLike<number>;
export interface Capsule {
    halfLength: number;
    radius: number;
}
export interface CapsuleFields {
    halfLength?: number;
    radius?: number;
}
export type CapsuleInput = CapsuleFields | ArrayLike<number>;
export interface Box {
    halfExtents: Vec3;
}
export interface BoxFields {
    halfExtents?: Vec3Input;
}
export type BoxInput = BoxFields | ArrayLike<number>;
export interface Cylinder {
    halfHeight: number;
    radius: number;
}
export interface CylinderFields {
    halfHeight?: number;
    radius?: number;
}
export type CylinderInput = CylinderFields | ArrayLike<number>;
export interface Cone {
    halfHeight: number;
    radius: number;
}
export interface ConeFields {
    halfHeight?: number;
    radius?: number;
}
export type ConeInput = ConeFields | ArrayLike<number>;
export interface Triangle {
    vertices: Vec3[];
}
export interface TriangleInput {
    vertices?: readonly Vec3Input[];
}
export interface Shape {
    type: ShapeType;
    sphere?: Sphere;
    capsule?: Capsule;
    box?: Box;
    cylinder?: Cylinder;
    cone?: Cone;
    triangle?: Triangle;
    hull?: Hull;
    mesh?: Mesh;
    compound?: Compound;
    concave?: Concave;
}
export interface ShapeInput {
    type?: ShapeType;
    sphere?: SphereInput;
    capsule?: CapsuleInput;
    box?: BoxInput;
    cylinder?: CylinderInput;
    cone?: ConeInput;
    triangle?: TriangleInput;
    hull?: Hull;
    mesh?: Mesh;
    compound?: Compound;
    concave?: Concave;
}
export interface CompoundChild {
    shape: Shape;
    xf: Transform;
}
export interface CompoundChildInput {
    shape?: ShapeInput;
    xf?: TransformInput;
}
export interface DecomposeDef {
    maxPartCount: number;
    maxConcavity: number;
    resolution: number;
    maxHullVertexCount: number;
}
export interface DecomposeDefFields {
    maxPartCount?: number;
    maxConcavity?: number;
    resolution?: number;
    maxHullVertexCount?: number;
}
export type DecomposeDefInput = DecomposeDefFields | ArrayLike<number>;
export interface FieldDef {
    resolution: number;
    cellSize: number;
    marginCells: number;
    sign: FieldSign;
    layout: FieldLayout;
}
export interface FieldDefInput {
    resolution?: number;
    cellSize?: number;
    marginCells?: number;
    sign?: FieldSign;
    layout?: FieldLayout;
}
export interface FieldInfo {
    origin: Vec3;
    cellSize: number;
    cells: number[];
    sign: FieldSign;
    layout: FieldLayout;
    brickCount: number;
    byteCount: number;
    bounds: AABB;
    bandWidth: number;
}
export interface FieldInfoInput {
    origin?: Vec3Input;
    cellSize?: number;
    cells?: readonly number[];
    sign?: FieldSign;
    layout?: FieldLayout;
    brickCount?: number;
    byteCount?: number;
    bounds?: AABBInput;
    bandWidth?: number;
}
export interface ConcaveDef {
    route: ConcaveRoute;
    field: FieldDef;
}
export interface ConcaveDefInput {
    route?: ConcaveRoute;
    field?: FieldDefInput;
}
export interface ConcaveInfo {
    route: ConcaveRoute;
    reason: string;
    wall: number;
    vertexCount: number;
    edgeCount: number;
    byteCount: number;
}
export interface ConcaveInfoInput {
    route?: ConcaveRoute;
    reason?: string;
    wall?: number;
    vertexCount?: number;
    edgeCount?: number;
    byteCount?: number;
}
export interface Separation {
    separation: number;
    normal: Vec3;
    pointA: Vec3;
    pointB: Vec3;
    childA: number;
    childB: number;
    iterations: number;
    error: number;
}
export interface SeparationFields {
    separation?: number;
    normal?: Vec3Input;
    pointA?: Vec3Input;
    pointB?: Vec3Input;
    childA?: number;
    childB?: number;
    iterations?: number;
    error?: number;
}
export type SeparationInput = SeparationFields | ArrayLike<number>;
export interface BroadphaseDef {
    kind: BroadphaseKind;
    margin: number;
    marginFraction: number;
    prediction: number;
    maxPairs: number;
    treeBuilder: TreeBuilder;
    octreeMaxDepth: number;
    octreeSplitLimit: number;
    octreeMergeLimit: number;
    octreeMaxCopies: number;
    sapAxisCount: number;
    enableTiming: boolean;
}
export interface BroadphaseDefInput {
    kind?: BroadphaseKind;
    margin?: number;
    marginFraction?: number;
    prediction?: number;
    maxPairs?: number;
    treeBuilder?: TreeBuilder;
    octreeMaxDepth?: number;
    octreeSplitLimit?: number;
    octreeMergeLimit?: number;
    octreeMaxCopies?: number;
    sapAxisCount?: number;
    enableTiming?: boolean;
}
export interface ImpulseDef {
    order: ImpulseOrder;
    detection: ImpulseDetection;
    motion: ImpulseMotion;
    joints: ImpulseJointing;
    collisionPassCount: number;
    contactPassCount: number;
    jointPassCount: number;
    jointTolerance: number;
    seed: number;
    enableShock: boolean;
    enableGraph: boolean;
}
export interface ImpulseDefInput {
    order?: ImpulseOrder;
    detection?: ImpulseDetection;
    motion?: ImpulseMotion;
    joints?: ImpulseJointing;
    collisionPassCount?: number;
    contactPassCount?: number;
    jointPassCount?: number;
    jointTolerance?: number;
    seed?: number;
    enableShock?: boolean;
    enableGraph?: boolean;
}
export interface WorldDef {
    gravity: Vec3;
    solver: Solver;
    subStepCount: number;
    jointSubStepCount: number;
    maxPartCount: number;
    integrator: Integrator;
    broadphase: BroadphaseDef;
    narrowphase: Narrowphase;
    combineFriction: Combine;
    combineRestitution: Combine;
    slop: number;
    pushRate: number;
    maxPushSpeed: number;
    enableDirect: boolean;
    enableContinuous: boolean;
    hitSpeed: number;
    impulse: ImpulseDef;
    enableSleep: boolean;
    sleepSpeed: number;
    sleepTime: number;
}
export interface WorldDefInput {
    gravity?: Vec3Input;
    solver?: Solver;
    subStepCount?: number;
    jointSubStepCount?: number;
    maxPartCount?: number;
    integrator?: Integrator;
    broadphase?: BroadphaseDefInput;
    narrowphase?: Narrowphase;
    combineFriction?: Combine;
    combineRestitution?: Combine;
    slop?: number;
    pushRate?: number;
    maxPushSpeed?: number;
    enableDirect?: boolean;
    enableContinuous?: boolean;
    hitSpeed?: number;
    impulse?: ImpulseDefInput;
    enableSleep?: boolean;
    sleepSpeed?: number;
    sleepTime?: number;
}
export interface ContactEvent {
    shapeA: ShapeId | null;
    shapeB: ShapeId | null;
}
export interface ContactEventInput {
    shapeA?: ShapeId;
    shapeB?: ShapeId;
}
export interface HitEvent {
    shapeA: ShapeId | null;
    shapeB: ShapeId | null;
    point: Pos;
    normal: Vec3;
    speed: number;
    impulse: number;
}
export interface HitEventInput {
    shapeA?: ShapeId;
    shapeB?: ShapeId;
    point?: PosInput;
    normal?: Vec3Input;
    speed?: number;
    impulse?: number;
}
export interface WorldEvents {
    begin: ContactEvent[];
    end: ContactEvent[];
    sensorBegin: ContactEvent[];
    sensorEnd: ContactEvent[];
    hits: HitEvent[];
}
export interface WorldEventsInput {
    begin?: readonly ContactEventInput[];
    end?: readonly ContactEventInput[];
    sensorBegin?: readonly ContactEventInput[];
    sensorEnd?: readonly ContactEventInput[];
    hits?: readonly HitEventInput[];
}
export interface ContactPoint {
    position: Pos;
    separation: number;
    normalImpulse: number;
    tangentImpulse: Vec3;
    id: number;
    state: PointState;
}
export interface ContactPointInput {
    position?: PosInput;
    separation?: number;
    normalImpulse?: number;
    tangentImpulse?: Vec3Input;
    id?: number;
    state?: PointState;
}
export interface ContactInfo {
    shapeA: ShapeId | null;
    shapeB: ShapeId | null;
    normal: Vec3;
    points: ContactPoint[];
    pointCount: number;
    removedCount: number;
    childA: number;
    childB: number;
}
export interface ContactInfoInput {
    shapeA?: ShapeId;
    shapeB?: ShapeId;
    normal?: Vec3Input;
    points?: readonly ContactPointInput[];
    pointCount?: number;
    removedCount?: number;
    childA?: number;
    childB?: number;
}
export interface WorldStats {
    bodyCount: number;
    awakeCount: number;
    shapeCount: number;
    jointCount: number;
    pairCount: number;
    contactCount: number;
    pointCount: number;
    islandCount: number;
    slenderCount: number;
    newtonCount: number;
    partCount: number;
    colorCount: number;
    lookCount: number;
    impulseCount: number;
    byteCount: number;
    scratchByteCount: number;
    pairMs: number;
    contactMs: number;
    islandMs: number;
    solveMs: number;
    refitMs: number;
    sleepMs: number;
    stepMs: number;
}
export interface WorldStatsFields {
    bodyCount?: number;
    awakeCount?: number;
    shapeCount?: number;
    jointCount?: number;
    pairCount?: number;
    contactCount?: number;
    pointCount?: number;
    islandCount?: number;
    slenderCount?: number;
    newtonCount?: number;
    partCount?: number;
    colorCount?: number;
    lookCount?: number;
    impulseCount?: number;
    byteCount?: number;
    scratchByteCount?: number;
    pairMs?: number;
    contactMs?: number;
    islandMs?: number;
    solveMs?: number;
    refitMs?: number;
    sleepMs?: number;
    stepMs?: number;
}
export type WorldStatsInput = WorldStatsFields | ArrayLike<number>;
export interface Material {
    staticFriction: number;
    slidingFriction: number;
    restitution: number;
    rollingFriction: number;
    spinFriction: number;
}
export interface MaterialFields {
    staticFriction?: number;
    slidingFriction?: number;
    restitution?: number;
    rollingFriction?: number;
    spinFriction?: number;
}
export type MaterialInput = MaterialFields | ArrayLike<number>;
export interface Filter {
    category: number;
    mask: number;
    group: number;
}
export interface FilterFields {
    category?: number;
    mask?: number;
    group?: number;
}
export type FilterInput = FilterFields | ArrayLike<number>;
export interface BodyDef {
    type: BodyType;
    position: Pos;
    rotation: Quat;
    velocity: Vec3;
    angularVelocity: Vec3;
    linearDamping: number;
    angularDamping: number;
    gravityScale: number;
    locks: number;
    enableSleep: boolean;
    isAwake: boolean;
    isBullet: boolean;
    userData: bigint;
}
export interface BodyDefInput {
    type?: BodyType;
    position?: PosInput;
    rotation?: QuatInput;
    velocity?: Vec3Input;
    angularVelocity?: Vec3Input;
    linearDamping?: number;
    angularDamping?: number;
    gravityScale?: number;
    locks?: number;
    enableSleep?: boolean;
    isAwake?: boolean;
    isBullet?: boolean;
    userData?: bigint;
}
export interface ShapeDef {
    shape: Shape;
    xf: Transform;
    density: number;
    material: Material;
    filter: Filter;
    isSensor: boolean;
    userData: bigint;
}
export interface ShapeDefInput {
    shape?: ShapeInput;
    xf?: TransformInput;
    density?: number;
    material?: MaterialInput;
    filter?: FilterInput;
    isSensor?: boolean;
    userData?: bigint;
}
export interface JointAxis {
    mode: AxisMode;
    lower: number;
    upper: number;
    drive: DriveKind;
    target: number;
    maxForce: number;
    frequency: number;
    dampingRatio: number;
}
export interface JointAxisInput {
    mode?: AxisMode;
    lower?: number;
    upper?: number;
    drive?: DriveKind;
    target?: number;
    maxForce?: number;
    frequency?: number;
    dampingRatio?: number;
}
export interface JointDef {
    type: JointType;
    bodyA: Body | null;
    bodyB: Body | null;
    frameA: Transform;
    frameB: Transform;
    axes: JointAxis[];
    coneAngle: number;
    collideConnected: boolean;
    maxForce: number;
    maxTorque: number;
    userData: bigint;
}
export interface JointDefInput {
    type?: JointType;
    bodyA?: Body;
    bodyB?: Body;
    frameA?: TransformInput;
    frameB?: TransformInput;
    axes?: readonly JointAxisInput[];
    coneAngle?: number;
    collideConnected?: boolean;
    maxForce?: number;
    maxTorque?: number;
    userData?: bigint;
}
export interface QueryFilter {
    category: number;
    mask: number;
    includeSensors: boolean;
    ignored: Body[];
}
export interface QueryFilterInput {
    category?: number;
    mask?: number;
    includeSensors?: boolean;
    ignored?: readonly Body[];
}
export interface QueryHit {
    body: Body | null;
    shape: ShapeId | null;
    child: number;
    fraction: number;
    distance: number;
    point: Pos;
    normal: Vec3;
}
export interface QueryHitInput {
    body?: Body;
    shape?: ShapeId;
    child?: number;
    fraction?: number;
    distance?: number;
    point?: PosInput;
    normal?: Vec3Input;
}
export interface Ray {
    origin: Pos;
    translation: Vec3;
}
export interface RayFields {
    origin?: PosInput;
    translation?: Vec3Input;
}
export type RayInput = RayFields | ArrayLike<number>;
export interface PlacedShape {
    shape: Shape;
    xf: WorldTransform;
}
export interface PlacedShapeInput {
    shape?: ShapeInput;
    xf?: WorldTransformInput;
}
export interface Scene {
    readonly name: string;
    readonly title: string;
    readonly text: string;
    readonly end: string;
    readonly rows: string;
    readonly sizeName: string;
    readonly size: number;
    readonly minSize: number;
    readonly maxSize: number;
    readonly stepCount: number;
    readonly dt: number;
    readonly hasScale: boolean;
    readonly eye: Vec3;
    readonly target: Vec3;
}
export interface SceneOptions {
    size: number;
    seed: bigint;
    scale: number;
}
export interface SceneOptionsInput {
    size?: number;
    seed?: bigint;
    scale?: number;
}
export interface SceneInfo {
    name: string;
    title: string;
    text: string;
    dt: number;
    stepCount: number;
    hasCamera: boolean;
    eye: Vec3;
    target: Vec3;
}
export interface SceneInfoInput {
    name?: string;
    title?: string;
    text?: string;
    dt?: number;
    stepCount?: number;
    hasCamera?: boolean;
    eye?: Vec3Input;
    target?: Vec3Input;
}
export interface ViewFigures {
    kinetic: number;
    potential: number;
    maxPenetration: number;
}
export interface ViewFiguresFields {
    kinetic?: number;
    potential?: number;
    maxPenetration?: number;
}
export type ViewFiguresInput = ViewFiguresFields | ArrayLike<number>;
export interface FlatScene {
    readonly name: string;
    readonly title: string;
    readonly text: string;
    readonly sizeName: string;
    readonly size: number;
    readonly minSize: number;
    readonly maxSize: number;
    readonly dt: number;
    readonly halfWidth: number;
    readonly halfHeight: number;
}
export interface FlatFigures {
    hitCount: number;
    passCount: number;
    blindHitCount: number;
    blindPassCount: number;
    maxPenetration: number;
}
export interface FlatFiguresFields {
    hitCount?: number;
    passCount?: number;
    blindHitCount?: number;
    blindPassCount?: number;
    maxPenetration?: number;
}
export type FlatFiguresInput = FlatFiguresFields | ArrayLike<number>;

export interface World {
    readonly pointer: number;
    readonly isFree: boolean;
    /** At once, rather than when the collector comes by. Again is allowed. */
    free(): void;
    /** sdWorld_GetDef */
    getDef(): WorldDef;
    /** sdWorld_SetDef */
    setDef(def?: WorldDefInput): void;
    /** sdWorld_SetGravity */
    setGravity(gravity: Vec3Input): void;
    /** sdWorld_Step */
    step(dt: number): void;
    /** sdWorld_GetTime */
    getTime(): number;
    /** sdWorld_GetHash */
    getHash(): bigint;
    /** sdWorld_GetEvents */
    getEvents(): WorldEvents;
    /** sdWorld_GetContacts */
    getContacts(): ContactInfo[];
    /** sdWorld_GetStats */
    getStats(): WorldStats;
    /** sdWorld_GetBodies */
    getBodies(): Body[];
    /** sdWorld_GetJoints */
    getJoints(): Joint[];
    /** sdWorld_GetBrokenJoints */
    getBrokenJoints(): Joint[];
    /** sdWorld_PrepareQueries */
    prepareQueries(queryCount: number): void;
    /** sdWorld_Raycast */
    raycast(ray: RayInput, filter?: QueryFilterInput): QueryHit;
    /** sdWorld_RaycastAny */
    raycastAny(ray: RayInput, filter?: QueryFilterInput): boolean;
    /** sdWorld_RaycastAll */
    raycastAll(ray: RayInput, filter?: QueryFilterInput): QueryHit[];
    /** sdWorld_RaycastMany */
    raycastMany(rays: readonly RayInput[], filter?: QueryFilterInput): QueryHit[];
    /** sdWorld_ShapeCast */
    shapeCast(shape: PlacedShapeInput, translation: Vec3Input, filter?: QueryFilterInput): QueryHit;
    /** sdWorld_ShapeCastAll */
    shapeCastAll(shape: PlacedShapeInput, translation: Vec3Input, filter?: QueryFilterInput): QueryHit[];
    /** sdWorld_OverlapAll */
    overlapAll(shape: PlacedShapeInput, filter?: QueryFilterInput): QueryHit[];
    /** sdWorld_OverlapBoxAll */
    overlapBoxAll(box: WorldBoxInput, filter?: QueryFilterInput): QueryHit[];
    /** sdWorld_FindNearest */
    findNearest(point: PosInput, maxDistance: number, filter?: QueryFilterInput): QueryHit;
    /** sdWorld_Save */
    save(snapshot: Snapshot): void;
    /** sdWorld_Restore */
    restore(snapshot: Snapshot): void;
}
export interface Mesh {
    readonly pointer: number;
    readonly isFree: boolean;
    /** At once, rather than when the collector comes by. Again is allowed. */
    free(): void;
    /** sdMesh_GetData */
    getData(): MeshData;
    /** sdMesh_GetReport */
    getReport(): MeshReport | null;
    /** sdMesh_GetBounds */
    getBounds(): AABB;
    /** sdMesh_GetByteCount */
    getByteCount(): number;
    /** sdMesh_GetMass */
    getMass(density: number): MassProps;
    /** sdMesh_SignedDistance */
    signedDistance(p: Vec3Input): number;
    /** sdMesh_Decompose */
    decompose(def?: DecomposeDefInput): Compound;
}
export interface Hull {
    readonly pointer: number;
    readonly isFree: boolean;
    /** At once, rather than when the collector comes by. Again is allowed. */
    free(): void;
    /** sdHull_GetVertices */
    getVertices(): Float32Array;
    /** sdHull_GetBounds */
    getBounds(): AABB;
}
export interface Compound {
    readonly pointer: number;
    readonly isFree: boolean;
    /** At once, rather than when the collector comes by. Again is allowed. */
    free(): void;
    /** sdCompound_GetChildren */
    getChildren(): CompoundChild[];
}
export interface Concave {
    readonly pointer: number;
    readonly isFree: boolean;
    /** At once, rather than when the collector comes by. Again is allowed. */
    free(): void;
    /** sdConcave_GetInfo */
    getInfo(): ConcaveInfo;
    /** sdConcave_GetMesh */
    getMesh(): Mesh | null;
    /** sdConcave_GetField */
    getField(): Field | null;
    /** sdConcave_GetSamples */
    getSamples(): Float32Array;
}
export interface Field {
    readonly pointer: number;
    readonly isFree: boolean;
    /** At once, rather than when the collector comes by. Again is allowed. */
    free(): void;
    /** sdField_GetInfo */
    getInfo(): FieldInfo;
    /** sdField_Sample */
    sample(p: Vec3Input): number;
}
export interface Snapshot {
    readonly pointer: number;
    readonly isFree: boolean;
    /** At once, rather than when the collector comes by. Again is allowed. */
    free(): void;
    /** sdSnapshot_GetBytes */
    getBytes(): Uint8Array;
    /** sdSnapshot_GetObjects */
    getObjects(): Shape[];
    /** sdSnapshot_SetBytes */
    setBytes(bytes: Uint8Array, objects: readonly ShapeInput[]): void;
}
export interface History {
    readonly pointer: number;
    readonly isFree: boolean;
    /** At once, rather than when the collector comes by. Again is allowed. */
    free(): void;
    /** sdHistory_Record */
    record(world: World): void;
    /** sdHistory_Restore */
    restore(world: World, back: number): void;
    /** sdHistory_GetCount */
    getCount(): number;
    /** sdHistory_GetByteCount */
    getByteCount(): number;
}
export interface SceneFile {
    readonly pointer: number;
    readonly isFree: boolean;
    /** At once, rather than when the collector comes by. Again is allowed. */
    free(): void;
    /** sdSceneFile_GetInfo */
    getInfo(): SceneInfo | null;
    /** sdSceneFile_GetWorldDef */
    getWorldDef(): WorldDef | null;
    /** sdSceneFile_GetBodyCount */
    getBodyCount(): number;
    /** sdSceneFile_GetJointCount */
    getJointCount(): number;
    /** sdSceneFile_FindBody */
    findBody(name: string): number;
    /** sdSceneFile_Build */
    build(world: World): void;
}
export interface Explanation {
    readonly pointer: number;
    readonly isFree: boolean;
    /** At once, rather than when the collector comes by. Again is allowed. */
    free(): void;
    /** sdExplanation_Place */
    place(xfA: TransformInput): void;
    /** sdExplanation_GetStepCount */
    getStepCount(): number;
    /** sdExplanation_GetText */
    getText(step: number): string | null;
    /** sdExplanation_GetFound */
    getFound(): number;
    /** sdExplanation_GetAnswer */
    getAnswer(): number;
    /** sdExplanation_GetMarks */
    getMarks(step: number): Float32Array;
    /** sdExplanation_GetIntervals */
    getIntervals(step: number): Float32Array;
}
export interface Flat {
    readonly pointer: number;
    readonly isFree: boolean;
    /** At once, rather than when the collector comes by. Again is allowed. */
    free(): void;
    /** sdFlat_Step */
    step(): void;
    /** sdFlat_GetState */
    getState(): Float32Array;
    /** sdFlat_SetState */
    setState(values: ArrayLike<number>): void;
    /** sdFlat_GetHash */
    getHash(): number;
    /** sdFlat_GetPieceCount */
    getPieceCount(): number;
    /** sdFlat_GetShapeKey */
    getShapeKey(piece: number): number;
    /** sdFlat_GetTriangles */
    getTriangles(piece: number): Float32Array;
    /** sdFlat_GetPoses */
    getPoses(): Float32Array;
    /** sdFlat_GetContacts */
    getContacts(): Float32Array;
    /** sdFlat_GetBoxes */
    getBoxes(): Float32Array;
    /** sdFlat_GetLines */
    getLines(): Float32Array;
    /** sdFlat_GetFigures */
    getFigures(): FlatFigures;
    /** sdFlat_Pick */
    pick(x: number, y: number): number;
    /** sdFlat_Pull */
    pull(piece: number, localX: number, localY: number, x: number, y: number): void;
    /** sdFlat_Explain */
    explain(a: number, b: number, method: ExplainMethod): Explanation;
}
export interface GlbWriter {
    readonly pointer: number;
    readonly isFree: boolean;
    /** At once, rather than when the collector comes by. Again is allowed. */
    free(): void;
    /** sdGlbWriter_AddFrame */
    addFrame(world: World, time: number): void;
    /** sdGlbWriter_GetBytes */
    getBytes(): Uint8Array;
}
export interface Body {
    readonly world: World;
    readonly id: number;
    /** Whether both mean the same: handles are made anew each time. */
    equals(other: Body): boolean;
    /** sdBody_Destroy */
    destroy(): void;
    /** sdBody_IsValid */
    isValid(): boolean;
    /** sdBody_GetType */
    getType(): BodyType;
    /** sdBody_SetType */
    setType(type: BodyType): void;
    /** sdBody_GetUserData */
    getUserData(): bigint;
    /** sdBody_SetUserData */
    setUserData(userData: bigint): void;
    /** sdBody_GetTransform */
    getTransform(): WorldTransform;
    /** sdBody_SetTransform */
    setTransform(position: PosInput, rotation: QuatInput): void;
    /** sdBody_GetCenter */
    getCenter(): Pos;
    /** sdBody_GetWorldPoint */
    getWorldPoint(local: Vec3Input): Pos;
    /** sdBody_GetLocalPoint */
    getLocalPoint(point: PosInput): Vec3;
    /** sdBody_GetWorldVector */
    getWorldVector(local: Vec3Input): Vec3;
    /** sdBody_GetLocalVector */
    getLocalVector(vector: Vec3Input): Vec3;
    /** sdBody_GetVelocity */
    getVelocity(): Vec3;
    /** sdBody_GetAngularVelocity */
    getAngularVelocity(): Vec3;
    /** sdBody_SetVelocity */
    setVelocity(velocity: Vec3Input, angular: Vec3Input): void;
    /** sdBody_GetVelocityAt */
    getVelocityAt(point: PosInput): Vec3;
    /** sdBody_ApplyForce */
    applyForce(force: Vec3Input, point: PosInput): void;
    /** sdBody_ApplyForceToCenter */
    applyForceToCenter(force: Vec3Input): void;
    /** sdBody_ApplyTorque */
    applyTorque(torque: Vec3Input): void;
    /** sdBody_ApplyImpulse */
    applyImpulse(impulse: Vec3Input, point: PosInput): void;
    /** sdBody_ApplyAngularImpulse */
    applyAngularImpulse(impulse: Vec3Input): void;
    /** sdBody_GetMass */
    getMass(): MassProps;
    /** sdBody_SetMass */
    setMass(props: MassPropsInput): void;
    /** sdBody_HasGivenMass */
    hasGivenMass(): boolean;
    /** sdBody_ResetMass */
    resetMass(): void;
    /** sdBody_IsAwake */
    isAwake(): boolean;
    /** sdBody_SetAwake */
    setAwake(isAwake: boolean): void;
    /** sdBody_IsSleepEnabled */
    isSleepEnabled(): boolean;
    /** sdBody_EnableSleep */
    enableSleep(isEnabled: boolean): void;
    /** sdBody_IsEnabled */
    isEnabled(): boolean;
    /** sdBody_SetEnabled */
    setEnabled(isEnabled: boolean): void;
    /** sdBody_IsBullet */
    isBullet(): boolean;
    /** sdBody_SetBullet */
    setBullet(isBullet: boolean): void;
    /** sdBody_GetLocks */
    getLocks(): number;
    /** sdBody_SetLocks */
    setLocks(locks: number): void;
    /** sdBody_GetLinearDamping */
    getLinearDamping(): number;
    /** sdBody_GetAngularDamping */
    getAngularDamping(): number;
    /** sdBody_SetDamping */
    setDamping(linear: number, angular: number): void;
    /** sdBody_GetGravityScale */
    getGravityScale(): number;
    /** sdBody_SetGravityScale */
    setGravityScale(scale: number): void;
    /** sdBody_AddShape */
    addShape(def: ShapeDefInput): ShapeId;
    /** sdBody_GetShapes */
    getShapes(): ShapeId[];
    /** sdBody_GetJoints */
    getJoints(): Joint[];
}
export interface ShapeId {
    readonly world: World;
    readonly id: number;
    /** Whether both mean the same: handles are made anew each time. */
    equals(other: ShapeId): boolean;
    /** sdShapeId_Remove */
    remove(): void;
    /** sdShapeId_IsValid */
    isValid(): boolean;
    /** sdShapeId_GetBody */
    getBody(): Body | null;
    /** sdShapeId_GetUserData */
    getUserData(): bigint;
    /** sdShapeId_SetUserData */
    setUserData(userData: bigint): void;
    /** sdShapeId_GetDef */
    getDef(): ShapeDef | null;
    /** sdShapeId_SetMaterial */
    setMaterial(material: MaterialInput): void;
    /** sdShapeId_GetFatBox */
    getFatBox(): AABB;
    /** sdShapeId_SetFilter */
    setFilter(filter: FilterInput): void;
}
export interface Joint {
    readonly world: World;
    readonly id: number;
    /** Whether both mean the same: handles are made anew each time. */
    equals(other: Joint): boolean;
    /** sdJoint_Destroy */
    destroy(): void;
    /** sdJoint_IsValid */
    isValid(): boolean;
    /** sdJoint_GetDef */
    getDef(): JointDef | null;
    /** sdJoint_SetAxis */
    setAxis(axis: Axis, settings: JointAxisInput): void;
    /** sdJoint_GetPlace */
    getPlace(axis: Axis): number;
    /** sdJoint_GetSpeed */
    getSpeed(axis: Axis): number;
    /** sdJoint_GetForce */
    getForce(): Vec3;
    /** sdJoint_GetTorque */
    getTorque(): Vec3;
}
export interface Sudar {
    /** That steps are made by. */
    readonly threadCount: number;
    /** sdGetVersion */
    getVersion(): Version;
    /** sdDistance */
    distance(a: ShapeInput, b: ShapeInput, xfAB: TransformInput): Separation;
    /** sdPenetration */
    penetration(a: ShapeInput, b: ShapeInput, xfAB: TransformInput): Separation;
    readonly Result: {
        /** sdResult_Text */
        text(result: Result): string | null;
    };
    readonly Mesh: {
        /** sdMesh_Create */
        create(def?: MeshDefInput): Mesh;
    };
    readonly MeshDef: {
        /** sdMeshDef_Default */
        default(): MeshDef;
    };
    readonly Model: {
        /** sdModel_Create */
        create(kind: ModelKind, size: number): Mesh;
    };
    readonly Hull: {
        /** sdHull_Create */
        create(def?: HullDefInput): Hull;
    };
    readonly HullDef: {
        /** sdHullDef_Default */
        default(): HullDef;
    };
    readonly Compound: {
        /** sdCompound_Create */
        create(children: readonly CompoundChildInput[]): Compound;
    };
    readonly DecomposeDef: {
        /** sdDecomposeDef_Default */
        default(): DecomposeDef;
    };
    readonly FieldDef: {
        /** sdFieldDef_Default */
        default(): FieldDef;
    };
    readonly Field: {
        /** sdField_Create */
        create(mesh: Mesh, def?: FieldDefInput): Field;
    };
    readonly ConcaveDef: {
        /** sdConcaveDef_Default */
        default(): ConcaveDef;
    };
    readonly Concave: {
        /** sdConcave_Create */
        create(mesh: Mesh, def?: ConcaveDefInput): Concave;
    };
    readonly Shape: {
        /** sdShape_Sphere */
        sphere(radius: number): Shape;
        /** sdShape_Capsule */
        capsule(halfLength: number, radius: number): Shape;
        /** sdShape_Box */
        box(halfX: number, halfY: number, halfZ: number): Shape;
        /** sdShape_Cylinder */
        cylinder(halfHeight: number, radius: number): Shape;
        /** sdShape_Cone */
        cone(halfHeight: number, radius: number): Shape;
        /** sdShape_Triangle */
        triangle(a: Vec3Input, b: Vec3Input, c: Vec3Input): Shape;
        /** sdShape_Hull */
        hull(hull: Hull): Shape;
        /** sdShape_HalfSpace */
        halfSpace(): Shape;
        /** sdShape_Mesh */
        mesh(mesh: Mesh): Shape;
        /** sdShape_Compound */
        compound(compound: Compound): Shape;
        /** sdShape_Concave */
        concave(concave: Concave): Shape;
        /** sdShape_IsValid */
        isValid(shape: ShapeInput): boolean;
        /** sdShape_IsConvex */
        isConvex(shape: ShapeInput): boolean;
        /** sdShape_ContainsPoint */
        containsPoint(shape: ShapeInput, p: Vec3Input): boolean;
        /** sdShape_GetBounds */
        getBounds(shape: ShapeInput, xfAB: TransformInput): AABB;
        /** sdShape_GetMass */
        getMass(shape: ShapeInput, density: number): MassProps;
    };
    readonly ImpulseDef: {
        /** sdImpulseDef_Default */
        default(): ImpulseDef;
    };
    readonly WorldDef: {
        /** sdWorldDef_Default */
        default(): WorldDef;
    };
    readonly World: {
        /** sdWorld_Create */
        create(def?: WorldDefInput): World;
    };
    readonly Material: {
        /** sdMaterial_Default */
        default(): Material;
    };
    readonly Filter: {
        /** sdFilter_Default */
        default(): Filter;
    };
    readonly BodyDef: {
        /** sdBodyDef_Default */
        default(): BodyDef;
    };
    readonly ShapeDef: {
        /** sdShapeDef_Default */
        default(shape: ShapeInput): ShapeDef;
    };
    readonly Body: {
        /** sdBody_Create */
        create(world: World, def?: BodyDefInput): Body;
    };
    readonly JointDef: {
        /** sdJointDef_Make */
        make(type: JointType, bodyA: Body, bodyB: Body): JointDef;
        /** sdJointDef_Place */
        place(world: World, def: JointDefInput, anchor: PosInput, axis: Vec3Input): JointDef;
    };
    readonly Joint: {
        /** sdJoint_Create */
        create(world: World, def: JointDefInput): Joint;
    };
    readonly QueryFilter: {
        /** sdQueryFilter_Default */
        default(): QueryFilter;
    };
    readonly Snapshot: {
        /** sdSnapshot_Create */
        create(): Snapshot;
    };
    readonly History: {
        /** sdHistory_Create */
        create(capacity: number): History;
    };
    readonly Scene: {
        /** sdScene_GetCount */
        getCount(): number;
        /** sdScene_Get */
        get(index: number): Scene | null;
        /** sdScene_Find */
        find(name: string): Scene | null;
        /** sdScene_GetWorldDef */
        getWorldDef(scene: Scene): WorldDef;
        /** sdScene_Build */
        build(scene: Scene, world: World, options?: SceneOptionsInput): void;
    };
    readonly SceneFile: {
        /** sdSceneFile_Parse */
        parse(path: string, text: string): SceneFile;
    };
    readonly View: {
        /** sdView_GetPoses */
        getPoses(world: World): Float32Array;
        /** sdView_GetContacts */
        getContacts(world: World): Float32Array;
        /** sdView_GetJoints */
        getJoints(world: World): Float32Array;
        /** sdView_GetBoxes */
        getBoxes(world: World): Float32Array;
        /** sdView_GetCells */
        getCells(world: World): Float32Array;
        /** sdView_GetIslands */
        getIslands(world: World): Int32Array;
        /** sdView_GetLevels */
        getLevels(world: World): Int32Array;
        /** sdView_GetFigures */
        getFigures(world: World): ViewFigures;
        /** sdView_IsGlass */
        isGlass(world: World, shape: ShapeId): boolean;
        /** sdView_GetShapeKey */
        getShapeKey(world: World, shape: ShapeId): number;
        /** sdView_GetTriangles */
        getTriangles(world: World, shape: ShapeId): Float32Array;
        /** sdView_GetSamples */
        getSamples(world: World, shape: ShapeId): Float32Array;
        /** sdView_GetFieldSlice */
        getFieldSlice(world: World, shape: ShapeId, cellCount: number): Float32Array;
        /** sdView_GetLines */
        getLines(world: World, views: number, size: number): Float32Array;
        /** sdView_Explain */
        explain(world: World, a: Body, b: Body, method: ExplainMethod): Explanation;
    };
    readonly Explanation: {
        /** sdExplanation_Create */
        create(a: ShapeInput, b: ShapeInput, xfAB: TransformInput, method: ExplainMethod): Explanation;
    };
    readonly FlatScene: {
        /** sdFlatScene_GetCount */
        getCount(): number;
        /** sdFlatScene_Get */
        get(index: number): FlatScene | null;
    };
    readonly Flat: {
        /** sdFlat_Create */
        create(scene: number, size: number): Flat;
    };
    readonly GlbWriter: {
        /** sdGlbWriter_Create */
        create(world: World, title: string): GlbWriter;
    };
}
