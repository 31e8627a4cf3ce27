import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { listSources } from './sources.ts'

/**
 * The folders by layer, the lowest layer first. A file may import files of its own folder and of
 * lower layers, but no other folder of its layer. A file belongs to the longest matching folder.
 * Type-only imports count.
 */
const layers: readonly (readonly string[])[] = [
  // The page in the browser imports nothing else: it knows the engine only by its API.
  ['dashboard'],
  ['shared/errors', 'shared/config', 'proto'],
  ['shared/names'],
  ['shared/values'],
  ['shared/secrets'],
  ['shared/state'],
  ['shared/records'],
  ['shared/journal'],
  ['shared/ports'],
  ['shared/backends'],
  ['shared/programs'],
  ['shared/platform', 'shared/providers', 'shared/triggers'],
  ['shared/engine/update-plan'],
  // The types that all engine folders share: steps, their ends, requests.
  ['shared/engine'],
  ['shared/engine/events', 'shared/engine/graph'],
  ['shared/engine/telemetry'],
  ['shared/engine/deployment'],
  ['shared/engine/call-limits'],
  ['shared/engine/executor'],
  ['shared/engine/forecast'],
  ['shared/engine/generator'],
  ['shared/engine/monitor'],
  ['shared/engine/commands'],
  ['shared/runtime'],
  // Both HTTP functions, `api` and `service`, use these two.
  ['shared/api'],
  ['shared/pulumi-service'],
  ['functions/aws'],
  // Functions are peers: none imports another one.
  [
    'functions/api',
    'functions/compaction',
    'functions/installer',
    'functions/scaler',
    'functions/schedule',
    'functions/service',
    'functions/step-executor',
    'functions/step-generator',
    'functions/webhook',
  ],
  ['local'],
  ['cli'],
  ['infra'],
  ['docs/site'],
  ['test'],
  ['bench'],
]

const entries = layers
  .flatMap((folders, index) => folders.map(folder => ({ layer: index, folder })))
  .toSorted((a, b) => b.folder.length - a.folder.length)

const layerOf = (path: string): { readonly layer: number; readonly folder: string } | undefined =>
  entries.find(({ folder }) => path.startsWith(`${folder}/`))

const code = listSources(/\.(tsx?|mjs)$/)

test('a file imports only from its own folder and from lower layers', () => {
  const wrong: string[] = []
  for (const { path, text } of code) {
    const from = layerOf(path)
    if (from === undefined || /\.(?:test|fixture)\.ts$/.test(path)) continue
    for (const [, target] of text.matchAll(/\b(?:from|import\(|import)\s*'(\.[^']+)'/g)) {
      const to = layerOf(normalize(join(dirname(path), target ?? '')))
      if (to === undefined || to.folder === from.folder) continue
      if (to.layer >= from.layer) wrong.push(`${path} -> ${target}`)
    }
  }
  expect(wrong).toEqual([])
})

test('no other folder imports the dashboard', () => {
  const importing = code.filter(
    ({ path, text }) =>
      !path.startsWith('dashboard/') && /(?:from|import\()\s*'[./]*\/dashboard\//.test(text),
  )
  expect(importing.map(({ path }) => path)).toEqual([])
})

test('every file belongs to a layer', () => {
  const rootFile = /^[^/]+$/
  const filesWithoutLayer = code.filter(({ path }) => !rootFile.test(path) && !layerOf(path))
  expect(filesWithoutLayer.map(({ path }) => path)).toEqual([])
})
