// SPDX-License-Identifier: MIT
// An animated glTF file against the table of the same run: the last key of every body is its last
// pose. node tools/check_glb.mjs FILE.glb FILE.csv [folder with gltf-validator]

import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'

const [glbPath, csvPath, modules] = process.argv.slice(2)
const bytes = readFileSync(glbPath)
const fail = (text) => {
  console.error(`${glbPath}: ${text}`)
  process.exit(1)
}

// header, JSON, binary part
if (bytes.readUInt32LE(0) !== 0x46546c67 || bytes.readUInt32LE(8) !== bytes.length) fail('not a glTF file')
const jsonSize = bytes.readUInt32LE(12)
const gltf = JSON.parse(bytes.toString('utf8', 20, 20 + jsonSize))
const start = 28 + jsonSize

/** Element `index` of an accessor, negative from its end. */
function element(accessor, index) {
  const a = gltf.accessors[accessor]
  const size = { SCALAR: 1, VEC3: 3, VEC4: 4 }[a.type]
  const at = start + gltf.bufferViews[a.bufferView].byteOffset + 4 * size * (index < 0 ? a.count + index : index)
  return Array.from({ length: size }, (_, i) => bytes.readFloatLE(at + 4 * i))
}

// where each body is at the end: its node, then the last keys of its tracks
const pose = new Map()
for (const node of gltf.nodes) {
  const name = /^body (\d+)$/.exec(node.name ?? '')
  if (name) pose.set(node, { body: +name[1], translation: node.translation, rotation: node.rotation })
}
const animation = gltf.animations?.[0] ?? { channels: [] }
let end = 0
for (const { sampler, target } of animation.channels) {
  const { input, output } = animation.samplers[sampler]
  pose.get(gltf.nodes[target.node])[target.path] = element(output, -1)
  end = Math.max(end, element(input, -1)[0])
}

// the last rows of the table
const rows = readFileSync(csvPath, 'utf8').trim().split('\n').slice(1).map((row) => row.split(',').map(Number))
const last = rows[rows.length - 1][0]
const byBody = new Map(rows.filter((row) => row[0] === last).map((row) => [row[1], row]))
let worst = 0
for (const { body, translation, rotation } of pose.values()) {
  const row = byBody.get(body)
  if (!row) continue
  const sign = rotation.reduce((sum, x, i) => sum + x * row[5 + i], 0) < 0 ? -1 : 1
  translation.forEach((x, i) => (worst = Math.max(worst, Math.abs(x - Math.fround(row[2 + i])))))
  rotation.forEach((x, i) => (worst = Math.max(worst, Math.abs(x - sign * row[5 + i]))))
}
if (byBody.size === 0 || animation.channels.length === 0) fail('nothing moves')
if (worst > 1e-6) fail(`the last keys are off by ${worst}`)
if (Math.abs(end - last) > 1e-5) fail(`it ends at ${end} s, the table at ${last} s`)

if (modules && existsSync(resolve(modules, 'gltf-validator'))) {
  const validator = createRequire(import.meta.url)(resolve(modules, 'gltf-validator'))
  const { issues } = await validator.validateBytes(new Uint8Array(bytes))
  if (issues.numErrors + issues.numWarnings > 0) fail(JSON.stringify(issues.messages.slice(0, 5)))
  console.log('glb: valid, and its last keys are the last poses')
} else {
  console.log('glb: NOT TESTED: its validity, for there is no gltf-validator; its last keys are the last poses')
}
