import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { sources } from './sources.ts'

/**
 * Folders from the bottom up; a folder imports those below it and its own. Those on one line do not
 * import each other. Type-only imports count.
 */
const layers: readonly (readonly string[])[] = [
  ['shared/errors', 'shared/config', 'proto'],
  ['shared/names'],
  ['shared/values'],
  ['shared/secrets'],
  ['shared/state'],
  ['shared/records'],
  ['shared/journal'],
  ['shared/ports'],
  ['shared/platform', 'shared/providers', 'shared/programs'],
  ['shared/engine'],
  ['functions'],
  ['local'],
  ['cli'],
  ['bench', 'test'],
]

const layerOf = (path: string): { readonly at: number; readonly folder: string } | undefined => {
  for (const [at, folders] of layers.entries()) {
    const folder = folders.find(name => path.startsWith(`${name}/`))
    if (folder !== undefined) return { at, folder }
  }
  return undefined
}

test('imports point one way', () => {
  const wrong: string[] = []
  for (const { path, text } of sources(/\.ts$/)) {
    const from = layerOf(path)
    if (from === undefined || path.endsWith('.test.ts')) continue
    for (const [, target] of text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)) {
      const to = layerOf(normalize(join(dirname(path), target ?? '')))
      if (to === undefined || to.folder === from.folder) continue
      if (to.at >= from.at) wrong.push(`${path} -> ${target}`)
    }
  }
  expect(wrong).toEqual([])
})
