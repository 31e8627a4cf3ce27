import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPlace, type Place, succeeded } from './place.ts'
import { expectRefused } from './refused.ts'
import { initStack, up } from './state.ts'

const gold = resolve(import.meta.dirname, '../golden/provider/pulumi-resource-gold')
let place: Place
const env = {
  PULUMI_IGNORE_AMBIENT_PLUGINS: 'true',
  PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: '1',
}

beforeAll(async () => {
  place = createPlace('small')
  await initStack(place)
})
afterAll(() => place.remove())

const project = (more: string): void =>
  writeFileSync(join(place.program, 'Pulumi.yaml'), `name: small\nruntime: nodejs\n${more}`)

test('a provider in a folder of the project makes, and deletes', async () => {
  expectRefused(await place.run(up, { env }), 'DEPLOYMENT_FAILED', [
    "no plugin 'pulumi-resource-gold'",
  ])
  project('plugins:\n  providers:\n    - {name: gold, path: own}\n')
  expectRefused(await place.run(up, { env }), 'PROJECT_INVALID', [
    /plugin 'gold': no folder at .*own/,
  ])
  const folder = join(place.program, 'own')
  mkdirSync(folder)
  const file = join(folder, 'pulumi-resource-gold')
  writeFileSync(file, `#!/bin/sh\nexec '${gold}' "$@"\n`)
  chmodSync(file, 0o755)
  succeeded(await place.run(up, { env }))
  expect(place.objects().length).toBeGreaterThan(0)
  const elsewhere = ['destroy', '--yes', '--skip-preview', '-s', 'dev']
  succeeded(await place.run(elsewhere, { env }))
  expect(place.objects()).toEqual([])
})
